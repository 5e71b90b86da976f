package dev.weir.bench.hashing;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

import dev.weir.hash.HashRule;
import dev.weir.hash.MailHasher;
import dev.weir.hash.release.Release;
import dev.weir.hash.shingle.HashAlgorithm;
import dev.weir.hash.text.LanguageData;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Option;
import picocli.CommandLine.TypeConversionException;

/** The options common to the hashing programs: rule and languages. */
public final class RuleOptions {
    @Option(names = "--algorithm", paramLabel = "NAME", defaultValue = "mumhash",
            description = "Hash of the shingles: mumhash, siphash, xxhash or fasthash (default: ${DEFAULT-VALUE}).")
    private HashAlgorithm algorithm = HashAlgorithm.MUMHASH;

    @Option(names = "--languages", paramLabel = "DIR",
            description = "The languages folder of an installed Rspamd, instead of the bundled data.")
    private @Nullable Path languages;

    @Option(names = "--html", description = "Hash the structure of HTML parts too.")
    private boolean html;

    @Option(names = "--like", paramLabel = "VERSION", converter = ReleaseConverter.class,
            description = "The release of Rspamd: 4.1.6 or 3.4 (default: 4.1.6).")
    private Release like = Release.V4_1;

    /** Returns the shipped rule with these options. */
    public HashRule rule() {
        return HashRule.shipped().toBuilder().algorithm(algorithm).htmlShingles(html).like(like).build();
    }

    /** Returns the options with which the oracle hashes by the same rule. */
    public List<String> oracleOptions() {
        List<String> options = new ArrayList<>(List.of("--version", like.version().substring(0, 1)));
        if (html) {
            options.add("--html");
        }
        return options;
    }

    /** Returns a hasher with these languages. */
    public MailHasher hasher() throws IOException {
        return languages == null ? MailHasher.standard() : MailHasher.with(LanguageData.load(languages));
    }

    /** Returns the algorithm as Rspamd's options write it. */
    public String algorithmName() {
        return algorithm.name().toLowerCase(Locale.ROOT);
    }

    /** Takes the version of a release that Weir reproduces. */
    static final class ReleaseConverter implements ITypeConverter<Release> {
        @Override
        public Release convert(String version) {
            return Release.of(version).orElseThrow(
                    () -> new TypeConversionException("\"" + version + "\" is not supported: use 4.1.6 or 3.4"));
        }
    }
}
