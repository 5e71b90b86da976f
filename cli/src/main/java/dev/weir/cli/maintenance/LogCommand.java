package dev.weir.cli.maintenance;

import java.time.Instant;
import java.util.Locale;
import java.util.concurrent.Callable;

import dev.weir.cli.option.DataOption;
import dev.weir.cli.option.LogFilter;
import dev.weir.cli.terminal.ExitCode;
import dev.weir.cli.terminal.FailedException;
import dev.weir.cli.terminal.JsonLines;
import dev.weir.cli.terminal.Terminal;
import dev.weir.model.SafeText;
import dev.weir.model.Update;
import dev.weir.storage.StorageException;
import dev.weir.storage.UpdateSubmitter;
import dev.weir.storage.log.LogDamagedException;
import dev.weir.storage.log.LoggedUpdate;
import dev.weir.storage.trail.AuditTrail;
import dev.weir.wire.key.Base32;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code weir log}: the audit trail, from the database and the update log. */
@Command(name = "log", mixinStandardHelpOptions = true, description = {
    "Prints the audit trail of a storage, running or stopped: one line for each change with "
            + "revision, time, address and key of the sender, and for a mail received over HTTP the "
            + "client, its credential, the user and the Message-ID.",
    "Without --data, it is the storage of this user, or else that of the installed service, which root may read.",
    "The trail has two sources. The update log has all changes of the last week, as far as they fit into "
            + "a sixteenth of the size of the store (32 to 384 MiB). A fuzzy.db that follows the store has the "
            + "latest 64 changes of each stored hash, and drops them with the hash."},
        exitCodeListHeading = "%nExit status:%n", exitCodeList = {
            "0:the trail is printed",
            "2:the command line is wrong",
            "3:there is no storage, or its log is damaged"})
public final class LogCommand implements Callable<Integer> {
    /** Bytes of the key prefix that identifies a key in statistics. */
    private static final int KEY_NAME = 8;

    private final Terminal terminal;

    @Mixin
    private DataOption data = new DataOption();

    @Mixin
    private LogFilter filter = new LogFilter();

    @Option(names = "--json", description = "Print one JSON object for each change.")
    private boolean json;

    public LogCommand(Terminal terminal) {
        this.terminal = terminal;
    }

    @Override
    public Integer call() {
        try {
            AuditTrail.read(data.folderToRead(), filter.filter(), (logged, whole) -> {
                terminal.endUnlessRead();
                print(logged, whole);
            });
            return ExitCode.OK;
        } catch (LogDamagedException e) {
            throw new FailedException(ExitCode.INPUT, e.damages().getFirst().toString());
        } catch (StorageException e) {
            throw new FailedException(ExitCode.INPUT, String.valueOf(e.getMessage()));
        }
    }

    /**
     * Prints a change.
     *
     * @param whole whether the change is from the log; the database records neither ports nor the presence of shingles
     */
    private void print(LoggedUpdate logged, boolean whole) {
        Instant time = Instant.ofEpochMilli(logged.millis());
        byte[] key = logged.origin().key();
        String keyName = key == null ? null : Base32.encode(key, 0, KEY_NAME);
        String from = logged.origin().address() == null ? "storage" : logged.origin().address().getHostAddress();
        if (json) {
            JsonLines.line(terminal.out(), generator -> {
                generator.writeNumberProperty("revision", logged.revision());
                generator.writeStringProperty("time", time.toString());
                generator.writeStringProperty("from", from);
                if (whole && logged.origin().address() != null) {
                    generator.writeNumberProperty("port", logged.origin().port());
                }
                if (keyName != null) {
                    generator.writeStringProperty("key", keyName);
                }
                UpdateSubmitter submission = logged.origin().submission();
                if (submission != null) {
                    generator.writeStringProperty("client", submission.client());
                    generator.writeStringProperty("credential", submission.credential());
                    generator.writeStringProperty("user", submission.user());
                    generator.writeStringProperty("message_id", submission.messageId());
                }
                Update update = logged.update();
                generator.writeStringProperty("change", name(update));
                generator.writeStringProperty("digest", update.digest().toString());
                switch (update) {
                    case Update.Write write -> {
                        generator.writeNumberProperty("flag", write.flag());
                        generator.writeNumberProperty("weight", write.weight());
                        if (whole) {
                            generator.writeBooleanProperty("shingles", write.signature() != null);
                        }
                    }
                    case Update.Delete delete -> generator.writeNumberProperty("flag", delete.flag());
                    case Update.Expire expire -> generator.writeNumberProperty("flag", expire.flag());
                    case Update.DeleteAll all -> generator.writeStringProperty("flag", "all");
                    case Update.Refresh refresh -> generator.writeStringProperty("flag", "all");
                }
            });
        } else {
            terminal.out().printf(Locale.ROOT, "%d %s %s%s %s %s%s%n", logged.revision(), time, from,
                    keyName == null ? "" : " key " + keyName, details(logged.update()), logged.update().digest(),
                    submitted(logged.origin().submission()));
        }
    }

    /** Returns who asked for an update, in words of strangers that are safe on a terminal. */
    static String submitted(@Nullable UpdateSubmitter submission) {
        return submission == null
                ? ""
                : " client " + SafeText.of(submission.client()) + " by " + SafeText.of(submission.credential())
                        + (submission.user().isEmpty() ? "" : " user " + SafeText.of(submission.user()))
                        + (submission.messageId().isEmpty()
                                ? ""
                                : " mail <" + SafeText.of(submission.messageId()) + ">");
    }

    private static String name(Update update) {
        return switch (update) {
            case Update.Write write -> "add";
            case Update.Delete delete -> "delete";
            case Update.DeleteAll all -> "delete";
            case Update.Refresh refresh -> "renew";
            case Update.Expire expire -> "expire";
        };
    }

    private static String details(Update update) {
        return switch (update) {
            case Update.Write write ->
                String.format(Locale.ROOT, "add flag %d weight %d", write.flag(), write.weight());
            case Update.Delete delete -> "delete flag " + delete.flag();
            case Update.DeleteAll all -> "delete all flags";
            case Update.Refresh refresh -> "renew";
            case Update.Expire expire -> "expire flag " + expire.flag();
        };
    }
}
