package dev.weir.http.data;

import dev.weir.http.message.HttpException;
import dev.weir.http.message.HttpReply;
import dev.weir.storage.admin.RefusedException;

/** A request about a storage, over HTTP or the control socket. */
@FunctionalInterface
public interface DataRequest {
    /** Reads the arguments, asks the storage, and writes the result. */
    HttpReply run(Arguments arguments) throws HttpException, RefusedException, InterruptedException;

    /**
     * Runs the request.
     *
     * @throws HttpException if an argument is malformed, or the storage refuses the request
     * @throws InterruptedException if the server stops; a part of the work may be done
     */
    default HttpReply answer(Arguments arguments) throws HttpException, InterruptedException {
        try {
            return run(arguments);
        } catch (RefusedException e) {
            throw refused(e);
        }
    }

    /** Returns the error for a request that the storage refuses. */
    static HttpException refused(RefusedException e) {
        return new HttpException(switch (e.ground()) {
            case INVALID -> 400;
            case ABSENT -> 404;
            case IMPOSSIBLE -> 422;
            case UNREADABLE -> 500;
            case UNAVAILABLE -> 503;
        }, e.reason());
    }
}
