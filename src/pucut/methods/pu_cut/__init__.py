"""The chooser: scores smoothed by cuts, judged by hidden positives."""
