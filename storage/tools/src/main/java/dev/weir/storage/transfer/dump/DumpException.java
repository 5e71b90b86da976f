package dev.weir.storage.transfer.dump;

import java.io.IOException;

/** An error in a dump. */
public final class DumpException extends IOException {
    private static final long serialVersionUID = 1L;

    DumpException(String message) {
        super(message);
    }
}
