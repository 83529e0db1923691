"""Every word the system can say: readings (devices), announcements (people) and the facts that follow."""
