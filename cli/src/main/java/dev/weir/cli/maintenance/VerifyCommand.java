package dev.weir.cli.maintenance;

import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.Callable;

import dev.weir.cli.option.DataOption;
import dev.weir.cli.option.MirrorConverter;
import dev.weir.cli.terminal.ExitCode;
import dev.weir.cli.terminal.FailedException;
import dev.weir.cli.terminal.JsonLines;
import dev.weir.cli.terminal.Reports;
import dev.weir.cli.terminal.Terminal;
import dev.weir.storage.StorageException;
import dev.weir.storage.maintenance.Verification;
import dev.weir.storage.transfer.mirror.MirrorComparison;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import tools.jackson.core.JsonGenerator;

/** {@code weir verify}: a search of a whole storage for damage. */
@Command(name = "verify", mixinStandardHelpOptions = true, description = {
    "Reads the whole store and the update log of a storage, running or stopped, and reports damage.",
    "Compares the mirror with the store.",
    "Changes nothing."}, exitCodeListHeading = "%nExit status:%n",
        exitCodeList = {
            "0:there is no damage",
            "2:the command line is wrong",
            "3:there is damage, the mirror differs, or there is no storage"})
public final class VerifyCommand implements Callable<Integer> {
    private final Terminal terminal;

    @Mixin
    private DataOption data = new DataOption();

    @Option(names = "--mirror", paramLabel = "sqlite:FILE", converter = MirrorConverter.class,
            description = "Compare the store with this mirror (default: fuzzy.db in the folder, if it is a mirror).")
    private @Nullable Path otherMirror;

    @Option(names = "--json", description = "Print a JSON object.")
    private boolean json;

    public VerifyCommand(Terminal terminal) {
        this.terminal = terminal;
    }

    @Override
    public Integer call() {
        Verification result;
        Optional<Path> mirror;
        Compared compared = new Compared(List.of(), "");
        try {
            result = Verification.of(data.folder());
            mirror = otherMirror == null ? MirrorComparison.mirrorIn(data.folder()) : Optional.of(otherMirror);
            if (mirror.isPresent() && result.isSound()) {
                compared = compare(mirror.get());
            }
        } catch (StorageException e) {
            throw new FailedException(ExitCode.INPUT, String.valueOf(e.getMessage()));
        }
        report(result, mirror, compared);
        return result.isSound() && compared.differences().isEmpty() ? ExitCode.OK : ExitCode.INPUT;
    }

    /** The differences between a mirror and the store, or why they are unknown. */
    private record Compared(List<String> differences, String unknown) {}

    /** Compares. That the mirror is behind is no damage. */
    private Compared compare(Path mirror) {
        try {
            return new Compared(MirrorComparison.run(data.folder(), mirror), "");
        } catch (MirrorComparison.BehindException e) {
            return new Compared(List.of(), String.valueOf(e.getMessage()));
        } catch (StorageException e) {
            return new Compared(List.of(String.valueOf(e.getMessage())), "");
        }
    }

    private void report(Verification result, Optional<Path> mirror, Compared compared) {
        if (json) {
            JsonLines.line(terminal.out(), generator -> {
                generator.writeBooleanProperty("sound", result.isSound());
                generator.writeNumberProperty("hashes", result.hashes());
                generator.writeNumberProperty("revision", result.revision());
                generator.writeNumberProperty("pending", result.pending());
                list(generator, "damages", result.damages());
                list(generator, "leftovers", result.leftovers());
                if (mirror.isPresent() && compared.unknown().isEmpty()) {
                    list(generator, "differences", compared.differences());
                }
            });
        } else {
            result.damages().forEach(damage -> terminal.out().println("broken: " + damage));
            result.leftovers().forEach(row -> terminal.out().println("left over: " + row));
            terminal.out().printf(Locale.ROOT, "%s is %s", data.folder(), result.isSound() ? "sound" : "damaged");
            if (result.hashes() > 0 || result.isSound()) {
                terminal.out().printf(Locale.ROOT, ": %s at revision %d, and %s more in the log",
                        Reports.count(result.hashes(), "hash"), result.revision(),
                        Reports.count(result.pending(), "update"));
            }
            terminal.out().println();
            compared.differences().forEach(difference -> terminal.out().println("differs: " + difference));
            if (mirror.isPresent() && result.isSound()) {
                terminal.out().println(mirror.get() + (compared.unknown().isEmpty()
                        ? compared.differences().isEmpty() ? " has the same hashes" : " differs"
                        : " was not compared: " + compared.unknown()));
            }
        }
    }

    private static void list(JsonGenerator generator, String name, List<String> lines) {
        generator.writeArrayPropertyStart(name);
        lines.forEach(generator::writeString);
        generator.writeEndArray();
    }
}
