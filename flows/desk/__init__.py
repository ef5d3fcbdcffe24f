"""The desk: the web page on which people who sign in check, approve, follow and settle payouts."""
