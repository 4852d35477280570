"""Monte Carlo statistics of regional Chinese mahjong."""
