package dev.weir.bench.hashing;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Locale;

import dev.weir.hash.HashRule;
import dev.weir.hash.MailHasher;
import dev.weir.hash.shingle.HashAlgorithm;
import dev.weir.hash.text.LanguageData;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The options common to the hashing programs: rule and languages. */
public final class RuleOptions {
    @Option(names = "--algorithm", paramLabel = "NAME", defaultValue = "mumhash",
            description = "Hash of the shingles: mumhash, siphash, xxhash or fasthash (default: ${DEFAULT-VALUE}).")
    private HashAlgorithm algorithm = HashAlgorithm.MUMHASH;

    @Option(names = "--languages", paramLabel = "DIR",
            description = "The languages folder of an installed Rspamd, instead of the bundled data.")
    private @Nullable Path languages;

    /** Returns the shipped rule with this algorithm. */
    public HashRule rule() {
        return HashRule.shipped().toBuilder().algorithm(algorithm).build();
    }

    /** Returns a hasher with these languages. */
    public MailHasher hasher() throws IOException {
        return languages == null ? MailHasher.standard() : MailHasher.with(LanguageData.load(languages));
    }

    /** Returns the algorithm as Rspamd's options write it. */
    public String algorithmName() {
        return algorithm.name().toLowerCase(Locale.ROOT);
    }
}
