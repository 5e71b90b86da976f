package dev.weir.interop;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;

import dev.weir.config.Configuration;
import dev.weir.config.ConfigurationLoader;
import dev.weir.config.option.Problems;
import dev.weir.config.source.DiskFiles;
import dev.weir.config.source.Problem;
import dev.weir.config.ucl.UclLimits;
import dev.weir.hash.AnalyzedMail;
import dev.weir.hash.FuzzyHash;
import dev.weir.hash.MailHasher;
import dev.weir.hash.PartVerdict;
import dev.weir.hash.Skip;
import dev.weir.scan.rule.FuzzyCheckSettings;
import dev.weir.scan.rule.RuleSettings;
import dev.weir.storage.server.StorageConfig;
import dev.weir.storage.settings.WorkerSettings;

/** Reads configurations as documents write them, without a process. */
final class Settings {
    private static final MailHasher HASHER = MailHasher.standard();

    private final Path scratch;

    Settings(Path scratch) {
        this.scratch = scratch;
    }

    /**
     * What was read.
     *
     * @param value the settings; empty without the section
     */
    record Read<T>(Optional<T> value, List<Problem> problems) {
        T sound() {
            if (problems.stream().anyMatch(problem -> problem.severity() == Problem.Severity.ERROR)) {
                throw new AssertionError("errors: " + problems);
            }
            return value.orElseThrow();
        }

        String messages() {
            return String.join("\n", problems.stream().map(Problem::toString).toList());
        }
    }

    private Configuration load(String name, String text, Problems problems) throws IOException {
        Path file = Files.createTempDirectory(scratch, "conf").resolve(name);
        Files.writeString(file, text);
        return new ConfigurationLoader(new DiskFiles(), "localhost", Map.of(), Map.of("DBDIR", scratch.toString()),
                UclLimits.DEFAULT).loadSound(file.toString(), problems).orElseThrow();
    }

    /** Reads a {@code worker-fuzzy.inc}, or a whole file with {@code worker "fuzzy"}. */
    Read<StorageConfig> storage(String text) throws IOException {
        Problems problems = new Problems();
        Optional<StorageConfig> config = WorkerSettings.read(load("worker-fuzzy.inc", text, problems), new DiskFiles(),
                new WorkerSettings.UnnamedFolder(scratch, false), problems);
        return new Read<>(config, problems.all());
    }

    /** Reads a {@code local.d/fuzzy_check.conf}, or a whole file with {@code fuzzy_check}. */
    Read<FuzzyCheckSettings> rules(String text) throws IOException {
        Problems problems = new Problems();
        Optional<FuzzyCheckSettings> rules = FuzzyCheckSettings.read(load("fuzzy_check.conf", text, problems),
                new DiskFiles(), problems);
        return new Read<>(rules, problems.all());
    }

    /** Reads the rules of the tree that Debian's package installs. */
    FuzzyCheckSettings debian() throws IOException {
        Programs.require("rspamadm");
        Problems problems = new Problems();
        Configuration tree = new ConfigurationLoader(new DiskFiles(), "localhost", System.getenv(), Map.of(),
                UclLimits.DEFAULT).loadSound("/etc/rspamd", problems).orElseThrow();
        return FuzzyCheckSettings.read(tree, new DiskFiles(), problems).orElseThrow();
    }

    /** Reads the only rule of such a file. */
    RuleSettings rule(String text) throws IOException {
        return rules(text).sound().rules().getFirst();
    }

    /** Returns the outcome for the first part of a mail. */
    static PartVerdict verdict(String mail, RuleSettings rule) {
        AnalyzedMail analyzed = HASHER.reading(HASHER.analyze(mail.getBytes(StandardCharsets.UTF_8)), rule.hashing());
        return HASHER.explain(analyzed, rule.hashing(), Skip.NOTHING).getFirst();
    }

    static List<FuzzyHash> hashes(byte[] mail, RuleSettings rule) {
        return HASHER.hash(mail, rule.hashing());
    }

    /** Returns the tokens of the structure of an HTML page. */
    static List<String> tokens(String page) {
        return dev.weir.hash.html.HtmlDocument.parse(page.getBytes(StandardCharsets.UTF_8)).tokens(true);
    }
}
