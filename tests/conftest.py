"""What every test can rely on."""

import signal
import threading

# A shell hands the programs it starts in the background a Ctrl-C that is ignored, and they hand that on: tests of what
# an interrupt does would then wait for one that never comes.
if threading.current_thread() is threading.main_thread():
    signal.signal(signal.SIGINT, signal.default_int_handler)
