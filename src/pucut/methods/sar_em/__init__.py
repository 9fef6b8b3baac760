"""SAR-EM: classes and the chances of being labelled, learned together."""
