package dev.weir.config.ucl;

import dev.weir.config.source.Origin;
import dev.weir.config.source.Problem;

/** Thrown when a text is not UCL or a required file is unavailable. Ends the reading of the file. */
final class UclSyntaxException extends Exception {
    private static final long serialVersionUID = 1;

    private final transient Problem problem;

    UclSyntaxException(Origin origin, String message) {
        super(message);
        this.problem = Problem.error(origin, message);
    }

    Problem problem() {
        return problem;
    }
}
