package dev.weir.http.message;

/** The words for what Jetty's parser refuses. */
public final class Malformed {
    private Malformed() {}

    /**
     * Returns the error for a client.
     *
     * @param inHead whether the request line was read
     */
    public static HttpException of(org.eclipse.jetty.http.HttpException bad, boolean inHead) {
        return switch (bad.getCode()) {
            case 414, 431 -> new HttpException(431, "Request header fields too large");
            // A line of two words looks like HTTP/0.9 to the parser.
            case 505 -> bad.getReason() != null && bad.getReason().contains("0.9")
                    ? new HttpException(400, "Malformed request line")
                    : new HttpException(505, "HTTP version not supported");
            default -> new HttpException(400, inHead ? "Malformed request" : "Malformed request line");
        };
    }
}
