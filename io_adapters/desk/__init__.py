"""The desk: the web page where people check, approve and follow payouts."""
