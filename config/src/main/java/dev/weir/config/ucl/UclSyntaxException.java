package dev.weir.config.ucl;

import dev.weir.config.source.Origin;
import dev.weir.config.source.Problem;

/** A text that is not UCL, or a file that it needs and that cannot be had. Ends the reading at once. */
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
