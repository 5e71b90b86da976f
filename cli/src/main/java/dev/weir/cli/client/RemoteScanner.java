package dev.weir.cli.client;

import java.io.IOException;
import java.net.ConnectException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.net.http.HttpTimeoutException;
import java.security.cert.CertPathBuilderException;
import java.security.cert.CertificateException;
import java.security.cert.CertificateExpiredException;
import java.security.cert.CertificateNotYetValidException;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLException;

import dev.weir.cli.terminal.ExitCode;
import dev.weir.cli.terminal.FailedException;
import dev.weir.model.SafeText;
import dev.weir.model.failure.Reason;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * A Weir on another machine that scans mails, with connections that stay open between mails. Its methods throw
 * {@link FailedException} like those of {@link OneStorage}. Thread-safe.
 */
public final class RemoteScanner implements AutoCloseable {
    private static final Duration CONNECT = Duration.ofSeconds(10);
    /** Longer than the server takes to receive a mail and to answer. */
    private static final Duration PATIENCE = Duration.ofMinutes(3);
    /** A reply names each match; few have more than some kilobytes. */
    private static final int MAX_REPLY = 4 << 20;
    private static final Logger LOG = LoggerFactory.getLogger(RemoteScanner.class);
    private static final JsonMapper JSON = JsonMapper.builder().build();

    private final URI address;
    private final Optional<String> password;
    private final HttpClient client;

    /**
     * Creates a client without sending anything.
     *
     * @param base the address of the service; a path is that of a proxy
     * @param trusted the authorities for {@code https}
     * @param password printable ASCII
     */
    RemoteScanner(URI base, SSLContext trusted, Optional<String> password) {
        String text = base.toString();
        this.address = URI.create((text.endsWith("/") ? text : text + "/") + "checkv2");
        this.password = password;
        this.client = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).connectTimeout(CONNECT)
                .followRedirects(HttpClient.Redirect.NEVER).sslContext(trusted).build();
    }

    /** Returns the reply about a mail (docs/reference/rspamd-http.md#scanning). It has a score. */
    public JsonNode check(byte[] mail) {
        HttpRequest.Builder request = HttpRequest.newBuilder(address).header("User-Agent", "weir")
                .POST(HttpRequest.BodyPublishers.ofByteArray(mail));
        password.ifPresent(text -> request.header("Password", text));
        HttpResponse<byte[]> answer = send(request.build());
        JsonNode reply = read(answer.body());
        int status = answer.statusCode();
        if (status != 200) {
            String reason = reply.path("error").asString("");
            throw new FailedException(
                    status == 413 ? ExitCode.INPUT : status >= 500 ? ExitCode.NO_ANSWER : ExitCode.REFUSED,
                    place() + " answers " + status + (reason.isEmpty() ? "" : ": " + SafeText.of(reason))
                            + advice(status));
        }
        if (!reply.path("score").isNumber() || !reply.path("matches").isArray()) {
            throw new FailedException(ExitCode.REFUSED, place() + " is no Weir: its reply has no score with matches");
        }
        return reply;
    }

    private String advice(int status) {
        return status == 401 && password.isEmpty()
                ? "; give the password with --password-file or " + ScannerOptions.PASSWORD_VARIABLE
                : "";
    }

    /** Asks a second time if the connection ends: the server may close one that rests just when a request comes. */
    private HttpResponse<byte[]> send(HttpRequest request) {
        try {
            return answer(request);
        } catch (IOException e) {
            if (e instanceof SSLException || e instanceof ConnectException || e instanceof HttpTimeoutException) {
                throw noAnswer(e);
            }
            LOG.debug("asks again", e);
        }
        try {
            return answer(request);
        } catch (IOException e) {
            throw noAnswer(e);
        }
    }

    private HttpResponse<byte[]> answer(HttpRequest request) throws IOException {
        // The time limit of a request would not cover the body of the reply.
        CompletableFuture<HttpResponse<byte[]>> answer = client.sendAsync(request,
                BodyHandlers.limiting(BodyHandlers.ofByteArray(), MAX_REPLY));
        try {
            return answer.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
        } catch (ExecutionException e) {
            if (e.getCause() instanceof IOException failure) {
                throw failure;
            }
            throw noAnswer(e.getCause() == null ? e : e.getCause());
        } catch (TimeoutException e) {
            answer.cancel(true);
            throw new FailedException(ExitCode.NO_ANSWER,
                    "no answer from " + place() + " within " + PATIENCE.toSeconds() + " s");
        } catch (InterruptedException e) {
            answer.cancel(true);
            Thread.currentThread().interrupt();
            throw new FailedException(ExitCode.NO_ANSWER, "interrupted");
        }
    }

    private FailedException noAnswer(Throwable failure) {
        Optional<String> trouble = certificateTrouble(failure);
        return new FailedException(ExitCode.NO_ANSWER, trouble.isPresent()
                ? "the certificate of " + place() + " is not accepted: " + trouble.get()
                : "no answer from " + place() + ": "
                        + (failure instanceof SSLException ? "TLS fails: " : "") + Reason.of(failure));
    }

    private static Optional<String> certificateTrouble(Throwable failure) {
        Optional<String> found = Optional.empty();
        for (@Nullable
        Throwable cause = failure; cause != null; cause = cause.getCause()) {
            switch (cause) {
                case CertificateExpiredException e -> found = Optional.of("it has expired (" + Reason.of(e) + ")");
                case CertificateNotYetValidException e -> found = Optional.of(
                        "it is not valid yet (" + Reason.of(e) + ")");
                case CertPathBuilderException _ -> found = Optional.of(
                        "no chain of valid certificates leads to a trusted authority; --ca FILE names another one");
                case CertificateException e -> found = Optional.of(Reason.of(e));
                default -> {
                    // Not about the certificate.
                }
            }
        }
        return found;
    }

    private static JsonNode read(byte[] body) {
        try {
            return JSON.readTree(body);
        } catch (JacksonException e) {
            return JSON.missingNode();
        }
    }

    private String place() {
        return address.getScheme() + "://" + address.getRawAuthority();
    }

    @Override
    public void close() {
        client.shutdownNow();
        client.close();
    }
}
