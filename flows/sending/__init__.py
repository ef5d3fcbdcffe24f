"""What is sent, at most once: reports and exchange rates; and how their reports end."""
