package dev.weir.storage.log;

import java.io.IOException;

/** A lack of space that is not a failed write. */
final class NoRoomException extends IOException {
    private static final long serialVersionUID = 1L;

    private final Obstacle obstacle;

    NoRoomException(Obstacle obstacle, String message) {
        super(message);
        this.obstacle = obstacle;
    }

    Obstacle obstacle() {
        return obstacle;
    }
}
