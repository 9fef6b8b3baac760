"""uPU and nnPU; needs PyTorch."""
