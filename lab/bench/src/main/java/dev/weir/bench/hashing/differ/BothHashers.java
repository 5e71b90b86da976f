package dev.weir.bench.hashing.differ;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;

import dev.weir.bench.hashing.Difference;
import dev.weir.bench.hashing.Oracle;
import dev.weir.bench.hashing.Reference;
import dev.weir.bench.hashing.RuleOptions;
import dev.weir.hash.AnalyzedMail;
import dev.weir.hash.HashRule;
import dev.weir.hash.MailHasher;
import dev.weir.hash.Skip;
import org.jspecify.annotations.Nullable;

/**
 * Weir and the real Rspamd, asked about the same mails. Rspamd gets some English mails first, because its guess of a
 * language depends on the mails that the process saw before.
 */
final class BothHashers {
    private final MailHasher hasher;
    private final HashRule rule;
    private final String algorithm;
    private final List<String> oracleOptions;
    private final Path oracle;
    private final List<byte[]> warmUp;
    private int refused;

    BothHashers(RuleOptions options, Path oracle, List<byte[]> warmUp) throws IOException {
        this.hasher = options.hasher();
        this.rule = options.rule();
        this.algorithm = options.algorithmName();
        this.oracleOptions = new ArrayList<>(options.oracleOptions());
        this.oracleOptions.add("--full");
        this.oracle = oracle;
        this.warmUp = List.copyOf(warmUp);
    }

    /** Asks both. Returns a difference for each mail, or null where the answers are equal or Rspamd failed. */
    List<@Nullable Difference> ask(List<byte[]> mails) throws IOException, InterruptedException {
        List<@Nullable Difference> differences = new ArrayList<>();
        mails.forEach(_ -> differences.add(null));
        Path folder = Files.createTempDirectory("weir-differ",
                PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwxr-xr-x")));
        Path recording = Files.createTempFile("weir-oracle", ".json");
        try {
            for (int i = 0; i < warmUp.size(); i++) {
                Files.write(folder.resolve(String.format(Locale.ROOT, "0-%04d", i)), warmUp.get(i));
            }
            for (int i = 0; i < mails.size(); i++) {
                Files.write(folder.resolve(String.format(Locale.ROOT, "1-%08d", i)), mails.get(i));
            }
            Oracle.run(oracle, folder, recording, algorithm, oracleOptions);
            Reference.read(recording, theirs -> {
                if (theirs.name().startsWith("0-")) {
                    return;
                }
                if (theirs.error() != null) {
                    refused++;
                    return;
                }
                int index = Integer.parseInt(theirs.name(), 2, theirs.name().length(), 10);
                AnalyzedMail analyzed = hasher.analyze(mails.get(index));
                differences.set(index,
                        Difference.of(analyzed, hasher.hash(analyzed, rule, Skip.NOTHING), theirs, true));
            });
        } finally {
            try (Stream<Path> files = Files.list(folder)) {
                for (Path file : files.toList()) {
                    Files.delete(file);
                }
            }
            Files.delete(folder);
            Files.deleteIfExists(recording);
        }
        return differences;
    }

    /** Returns the number of mails for which Rspamd failed. */
    int refused() {
        return refused;
    }
}
