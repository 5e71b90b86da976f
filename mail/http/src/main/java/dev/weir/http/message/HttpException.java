package dev.weir.http.message;

/** A request that gets an error as its reply. The message goes to the client and must not contain secrets. */
public final class HttpException extends Exception {
    private static final long serialVersionUID = 1;

    private final int status;

    /** Creates an error with a status from 400 to 599 and a sentence for the client. */
    public HttpException(int status, String message) {
        super(message, null, false, false);
        this.status = status;
    }

    /** Returns the status, from 400 to 599. */
    public int status() {
        return status;
    }

    /** Returns the sentence for the client. */
    public String reason() {
        return String.valueOf(getMessage());
    }
}
