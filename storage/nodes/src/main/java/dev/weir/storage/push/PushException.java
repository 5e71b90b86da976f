package dev.weir.storage.push;

import java.io.Serial;

/** A pushed body that cannot be understood. */
public final class PushException extends Exception {
    @Serial
    private static final long serialVersionUID = 1;

    PushException(String message) {
        super(message);
    }
}
