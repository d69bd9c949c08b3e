"""What decides for a seat: agents, their names, their memories, pools of them, and the games they record."""
