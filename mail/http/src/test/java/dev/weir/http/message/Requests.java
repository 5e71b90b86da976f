package dev.weir.http.message;

import java.io.IOException;
import java.io.InputStream;
import java.util.Optional;

/** Requests read whole, for tests. */
public final class Requests {
    private Requests() {}

    /** Returns a request with its body, as {@link RequestReader} reads both. */
    public static Optional<HttpRequest> read(InputStream in, HttpLimits limits, BodyBudget.Share share,
            RequestReader.Continue continues) throws IOException, HttpException {
        RequestReader reader = new RequestReader(in, limits, continues);
        Optional<HttpHead> head = reader.head();
        return head.isEmpty() ? Optional.empty() : Optional.of(head.get().with(reader.body(share)));
    }
}
