package dev.weir.james;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.BiFunction;

import dev.weir.config.Configuration;
import dev.weir.config.ConfigurationLoader;
import dev.weir.config.source.ConfigException;
import dev.weir.config.source.DiskFiles;
import dev.weir.config.ucl.UclSettings;
import dev.weir.hash.MailHasher;
import dev.weir.model.failure.Reason;
import dev.weir.scan.FuzzyCheck;
import dev.weir.scan.FuzzyCheckOptions;
import dev.weir.scan.ScanContext;
import dev.weir.scan.lua.LuaConditions;
import dev.weir.scan.rule.FuzzyCheckSettings;
import jakarta.mail.MessagingException;
import jakarta.mail.internet.MimeMessage;
import org.apache.mailet.Attribute;
import org.apache.mailet.Mail;
import org.jspecify.annotations.Nullable;

/**
 * The client of one configuration file, which all mailets and matchers that name the file share. The last one to close
 * it closes the client.
 */
final class SharedClient implements AutoCloseable {
    private static final int PATIENCE_SECONDS = 30;
    private static final int MOST_BYTES = 20 << 20;
    private static final Map<Path, SharedClient> OPEN = new HashMap<>();

    private final Path file;
    private final FuzzyCheck client;
    private final LuaConditions conditions;
    private int users;

    private SharedClient(Path file, FuzzyCheck client, LuaConditions conditions) {
        this.file = file;
        this.client = client;
        this.conditions = conditions;
    }

    /**
     * Opens the client of a configuration.
     *
     * @param name the name of a file with a section {@code fuzzy_check}
     * @throws MessagingException if the file cannot be used; the message says why
     */
    static SharedClient open(@Nullable String name) throws MessagingException {
        if (name == null || name.isBlank()) {
            throw new MessagingException("the file with the rules is missing");
        }
        Path file = Path.of(name).toAbsolutePath().normalize();
        synchronized (OPEN) {
            SharedClient shared = OPEN.get(file);
            if (shared == null) {
                shared = read(file);
                OPEN.put(file, shared);
            }
            shared.users++;
            return shared;
        }
    }

    private static SharedClient read(Path file) throws MessagingException {
        LuaConditions conditions = new LuaConditions();
        try {
            DiskFiles files = new DiskFiles();
            Configuration configuration = new ConfigurationLoader(files,
                    InetAddress.getLoopbackAddress().getHostName(), System.getenv(), Map.of(),
                    UclSettings.PLAIN.limits()).load(file.toString());
            FuzzyCheckSettings rules = FuzzyCheckSettings.of(configuration, files);
            return new SharedClient(file, FuzzyCheck.open(rules, MailHasher.standard(),
                    FuzzyCheckOptions.DEFAULT.withConditions(conditions)), conditions);
        } catch (ConfigException | IOException | IllegalArgumentException e) {
            conditions.close();
            throw new MessagingException(file + " cannot be used: " + Reason.of(e), e);
        } catch (Throwable e) {
            conditions.close();
            throw e;
        }
    }

    /**
     * Passes a mail to the client and waits for the result.
     *
     * @throws MessagingException if there is no result in time, or the mail is larger than 20 MiB
     */
    <T> T pass(Mail mail, BiFunction<FuzzyCheck, byte[], CompletableFuture<T>> work) throws MessagingException {
        try {
            return work.apply(client, bytes(mail)).get(PATIENCE_SECONDS, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new MessagingException("interrupted", e);
        } catch (TimeoutException e) {
            throw new MessagingException("no result within " + PATIENCE_SECONDS + " s", e);
        } catch (ExecutionException e) {
            throw new MessagingException(Reason.of(e), e);
        }
    }

    private static byte[] bytes(Mail mail) throws MessagingException {
        MimeMessage message = mail.getMessage();
        if (message == null) {
            throw new MessagingException("the mail has no content");
        }
        if (mail.getMessageSize() > MOST_BYTES) {
            throw new MessagingException("the mail is larger than " + MOST_BYTES + " bytes");
        }
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try {
            message.writeTo(bytes);
        } catch (IOException e) {
            throw new MessagingException("the mail cannot be read", e);
        }
        return bytes.toByteArray();
    }

    /** Returns what James knows about the envelope of a mail. */
    static ScanContext context(Mail mail) {
        Optional<String> user = mail.getAttribute(Mail.SMTP_AUTH_USER).map(Attribute::getValue)
                .flatMap(value -> value.valueAs(String.class));
        return new ScanContext(address(mail.getRemoteAddr()), user.orElse(null), null, mail.getRemoteHost(),
                mail.getName(), mail.getMaybeSender().asString(""),
                mail.getRecipients().stream().map(recipient -> recipient.asString()).toList(), Map.of());
    }

    private static @Nullable InetAddress address(@Nullable String text) {
        try {
            return text == null ? null : InetAddress.ofLiteral(text);
        } catch (IllegalArgumentException e) {
            // A mail that James itself made has no client.
            return null;
        }
    }

    @Override
    public void close() {
        synchronized (OPEN) {
            users--;
            if (users == 0) {
                OPEN.remove(file);
                client.close();
                conditions.close();
            }
        }
    }
}
