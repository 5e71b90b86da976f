package dev.weir.http.crypt;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;

import dev.weir.http.access.AccessControl;
import dev.weir.http.message.BodyBudget;
import dev.weir.http.message.HttpBody;
import dev.weir.http.message.HttpException;
import dev.weir.http.message.HttpHead;
import dev.weir.http.message.HttpLimits;
import dev.weir.http.message.HttpReply;
import dev.weir.http.message.Seal;
import dev.weir.http.message.WholeRequest;
import dev.weir.http.server.Client;
import dev.weir.http.server.HttpHandler;
import dev.weir.wire.box.SharedKey;

/**
 * A handler that opens encrypted requests, passes on the request inside, and seals its reply. It passes on requests
 * without the header {@code Key}, and all requests of a server without keys, unchanged.
 *
 * <p>The password of an encrypted request is inside, so the body must be read before access can be decided. Senders
 * without a trusted address share a part of the memory for bodies that they cannot exceed, keep no place by withholding
 * a body, and are refused before if they have too many failures. Keys that are not known yet have a budget for them.
 */
public final class CryptHandler implements HttpHandler {
    private static final String FAILED = "HTTP parser internal error: the on_message_complete callback failed";

    private final HttpCrypt crypt;
    private final HttpLimits limits;
    private final AccessControl access;
    private final BodyBudget strangers;
    private final KeyBudget agreements;
    private final HttpHandler next;

    /**
     * Creates a handler in front of another one.
     *
     * @param limits the limits of the request inside
     * @param access the access check, which knows the senders
     * @param strangers the budget of encrypted bodies from untrusted senders
     * @param agreements the budget of key agreements with them
     */
    public CryptHandler(HttpCrypt crypt, HttpLimits limits, AccessControl access, BodyBudget strangers,
            KeyBudget agreements, HttpHandler next) {
        this.crypt = crypt;
        this.limits = limits;
        this.access = access;
        this.strangers = strangers;
        this.agreements = agreements;
        this.next = next;
    }

    @Override
    public HttpReply handle(HttpHead head, HttpBody body, Client client, BodyBudget.Share share)
            throws HttpException, IOException, InterruptedException {
        Optional<String> header = head.headers().first("key");
        if (!crypt.isEnabled() || header.isEmpty()) {
            return next.handle(head, body, client, share);
        }
        AccessControl.Standing standing = access.standing(head, client);
        Optional<SharedKey> key = crypt.known(header.get());
        if (key.isEmpty()) {
            // Without a key, the reply cannot be sealed.
            if (standing == AccessControl.Standing.THROTTLED) {
                return HttpReply.error(429, "Too many authentication failures");
            }
            if (standing == AccessControl.Standing.STRANGER && !agreements.take(client)) {
                return HttpReply.error(503, "Too many new keys at a time");
            }
            key = crypt.agree(header.get());
        }
        if (key.isEmpty()) {
            return failed();
        }
        return switch (standing) {
            case THROTTLED -> sealed(key.get(), HttpReply.error(429, "Too many authentication failures"));
            case TRUSTED -> opened(header.get(), key.get(), head, body, client, share, share);
            case STRANGER -> {
                try (BodyBudget.Share part = strangers.share()) {
                    yield opened(header.get(), key.get(), head, body::readOfStranger, client, part, share);
                }
            }
        };
    }

    private HttpReply opened(String header, SharedKey key, HttpHead head, HttpBody body, Client client,
            BodyBudget.Share around,
            BodyBudget.Share inside) throws HttpException, IOException, InterruptedException {
        byte[] received = body.read(around);
        around.take(received.length);
        if (received.length < Seal.BYTES) {
            return failed();
        }
        Seal seal = Seal.of(received);
        Optional<byte[]> plain = crypt.open(key, received);
        if (plain.isEmpty()) {
            return failed();
        }
        crypt.remember(header, key);
        WholeRequest question;
        try {
            question = WholeRequest.read(plain.get(), limits);
        } catch (HttpException e) {
            return sealed(key, HttpReply.error(e.status(), e.reason()));
        }
        HttpReply reply = inner(question.head().inside(head, seal), question, client, inside);
        return question.head().isForHeadersOnly()
                ? sealed(key, reply.toHeadBytes(""))
                : sealed(key, reply);
    }

    private static HttpReply failed() {
        return new HttpReply(500, "Internal Server Error", HttpReply.TEXT, List.of(),
                FAILED.getBytes(StandardCharsets.US_ASCII));
    }

    private HttpReply sealed(SharedKey key, HttpReply reply) {
        if (reply.stream() != null) {
            return sealed(key, HttpReply.error(400, "An encrypted reply cannot be a stream"));
        }
        return sealed(key, reply.toBytes(""));
    }

    private HttpReply sealed(SharedKey key, byte[] reply) {
        return HttpReply.ok("application/octet-stream", crypt.seal(key, reply));
    }

    private HttpReply inner(HttpHead head, WholeRequest question, Client client, BodyBudget.Share share)
            throws InterruptedException {
        try {
            return next.handle(head, question::body, client, share);
        } catch (HttpException e) {
            return HttpReply.error(e.status(), e.reason());
        } catch (IOException e) {
            throw new UncheckedIOException("an array cannot fail", e);
        }
    }
}
