package dev.weir.http.message;

/** Requests read whole, for tests. */
public final class Requests {
    private Requests() {}

    /** Returns a request with its body. */
    public static HttpRequest read(byte[] bytes, HttpLimits limits, BodyBudget.Share share) throws HttpException {
        WholeRequest request = WholeRequest.read(bytes, limits);
        return request.head().with(request.body(share));
    }
}
