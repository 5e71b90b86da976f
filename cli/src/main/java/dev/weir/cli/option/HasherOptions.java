package dev.weir.cli.option;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;

import dev.weir.cli.terminal.ExitCode;
import dev.weir.cli.terminal.FailedException;
import dev.weir.cli.terminal.Reports;
import dev.weir.hash.MailHasher;
import dev.weir.hash.text.LanguageData;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The options of every command that hashes mails, with the default rule or with the rules of a configuration. */
public final class HasherOptions {
    @Option(names = "--languages", paramLabel = "DIR",
            description = "Languages folder of an installed Rspamd, usually /usr/share/rspamd/languages: detect "
                    + "languages exactly as that Rspamd does (default: built-in lists).")
    private @Nullable Path languages;

    @Option(names = "--hash-time", paramLabel = "TIME", converter = TimeConverter.class,
            description = "Time limit for hashing one mail; a mail over the limit gives no hashes (default: 10s).")
    private Duration time = MailHasher.DEFAULT_LIMIT;

    /**
     * Returns a hasher with these options.
     *
     * @throws FailedException if the folder of languages cannot be read or the time limit is zero
     */
    public MailHasher hasher() {
        if (time.isZero()) {
            throw new FailedException(ExitCode.USAGE, "--hash-time must be positive");
        }
        if (languages == null) {
            return MailHasher.standard().withLimit(time);
        }
        try {
            return MailHasher.with(LanguageData.load(languages)).withLimit(time);
        } catch (IOException e) {
            throw new FailedException(ExitCode.INPUT, languages + ": not a languages folder of Rspamd: "
                    + Reports.reason(e));
        }
    }

    /**
     * Returns the hasher to come. The usual languages load on another thread meanwhile.
     *
     * @throws FailedException as {@link #hasher}
     */
    public CompletableFuture<MailHasher> loading() {
        return languages != null || time.isZero()
                ? CompletableFuture.completedFuture(hasher())
                : CompletableFuture.supplyAsync(this::hasher,
                        task -> Thread.ofPlatform().daemon().name("weir-languages").start(task));
    }
}
