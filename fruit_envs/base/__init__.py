"""What everything else may use: errors, and checks of what users hand in."""
