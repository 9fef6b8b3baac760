"""Out-of-sample scores, and the threshold that the prior sets on them."""
