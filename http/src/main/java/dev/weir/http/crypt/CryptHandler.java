package dev.weir.http.crypt;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;

import dev.weir.http.message.BodyBudget;
import dev.weir.http.message.HttpException;
import dev.weir.http.message.HttpLimits;
import dev.weir.http.message.HttpReply;
import dev.weir.http.message.HttpRequest;
import dev.weir.http.message.RequestReader;
import dev.weir.http.server.Client;
import dev.weir.http.server.HttpHandler;
import dev.weir.wire.SharedKey;

/**
 * Opens encrypted requests, hands on the request that is inside, and seals its reply. Requests without the header
 * {@code Key}, and all requests of a server without keys, are handed on as they are.
 */
public final class CryptHandler implements HttpHandler {
    private static final String FAILED = "HTTP parser internal error: the on_message_complete callback failed";

    private final HttpCrypt crypt;
    private final HttpLimits limits;
    private final HttpHandler next;

    /** A handler before another one; the limits are those of the inner request. */
    public CryptHandler(HttpCrypt crypt, HttpLimits limits, HttpHandler next) {
        this.crypt = crypt;
        this.limits = limits;
        this.next = next;
    }

    @Override
    public HttpReply handle(HttpRequest request, Client client, BodyBudget.Share share)
            throws HttpException, InterruptedException {
        Optional<String> header = request.headers().first("key");
        if (!crypt.isEnabled() || header.isEmpty()) {
            return next.handle(request, client, share);
        }
        share.take(request.body().length);
        Optional<SharedKey> key = crypt.agree(header.get());
        Optional<byte[]> plain = key.flatMap(shared -> crypt.open(shared, request.body()));
        if (key.isEmpty() || plain.isEmpty()) {
            return new HttpReply(500, "Internal Server Error", HttpReply.TEXT, List.of(),
                    FAILED.getBytes(StandardCharsets.US_ASCII));
        }
        byte[] reply = inner(plain.get(), client, share).toBytes("");
        return HttpReply.ok("application/octet-stream", crypt.seal(key.get(), reply));
    }

    private HttpReply inner(byte[] plain, Client client, BodyBudget.Share share) throws InterruptedException {
        try {
            Optional<HttpRequest> inner = new RequestReader(new ByteArrayInputStream(plain), limits, share, () -> {})
                    .read();
            return inner.isEmpty()
                    ? HttpReply.error(400, "Incomplete request")
                    : next.handle(inner.get(), client, share);
        } catch (HttpException e) {
            return HttpReply.error(e.status(), e.reason());
        } catch (IOException e) {
            throw new UncheckedIOException("an array cannot fail", e);
        }
    }
}
