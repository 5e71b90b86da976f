package dev.weir.cli.client;

import java.io.IOException;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

import dev.weir.cli.terminal.ExitCode;
import dev.weir.cli.terminal.FailedException;
import dev.weir.cli.terminal.Failures;
import dev.weir.hash.HashRule;
import dev.weir.hash.MailHasher;
import dev.weir.model.Digest;
import dev.weir.model.failure.Reason;
import dev.weir.net.HostPort;
import dev.weir.scan.FuzzyCheck;
import dev.weir.scan.FuzzyCheckOptions;
import dev.weir.scan.LearnReport;
import dev.weir.scan.LearnReport.HashOutcome;
import dev.weir.scan.LearnRequest;
import dev.weir.scan.ScanContext;
import dev.weir.scan.ScanResult;
import dev.weir.scan.StorageClient;
import dev.weir.scan.rule.FuzzyCheckSettings;
import dev.weir.scan.score.KindOptions;
import dev.weir.scan.upstream.KnownAddress;
import dev.weir.wire.key.PublicKey;

/**
 * A storage that the command line names, with a rule of its own. Its methods throw {@link FailedException} if the
 * storage refuses or does not answer, and with {@link ExitCode#INPUT} if a mail is not hashed.
 */
public final class OneStorage implements AutoCloseable {
    private final HostPort address;
    private final Optional<PublicKey> key;
    private final Duration timeout;
    private final FuzzyCheck rule;

    private OneStorage(HostPort address, Optional<PublicKey> key, Duration timeout, FuzzyCheck rule) {
        this.address = address;
        this.key = key;
        this.timeout = timeout;
        this.rule = rule;
    }

    /** Opens a client of the storage without sending anything. */
    public static OneStorage open(HostPort address, Optional<PublicKey> key, Duration timeout, int retransmits,
            MailHasher hasher, HashRule hashing, KindOptions kinds) {
        try {
            return new OneStorage(address, key, timeout, FuzzyCheck.open(
                    FuzzyCheckSettings.ofStorage(address, key, hashing, kinds, timeout, retransmits), hasher,
                    FuzzyCheckOptions.DEFAULT.quietly().withResolver(KnownAddress.of(address.host()))));
        } catch (UnknownHostException e) {
            throw new FailedException(ExitCode.NO_ANSWER, "the host " + address.host() + " is not known");
        } catch (IOException e) {
            throw new FailedException(ExitCode.NO_ANSWER, "no socket to " + address + ": " + Reason.of(e));
        } catch (IllegalArgumentException e) {
            // The key is unusable. The message names a rule, which the command line does not have; its cause does not.
            throw new FailedException(ExitCode.NO_ANSWER, Reason.of(e.getCause() == null ? e : e.getCause()));
        }
    }

    /** Checks a mail. */
    public ScanResult check(byte[] mail) {
        ScanResult result = rule.check(mail, ScanContext.NONE).join();
        requireHashed(result.notHashed());
        return answered(result);
    }

    /** Asks for digests. */
    public ScanResult find(List<Digest> digests) {
        return answered(rule.find(digests).join());
    }

    /** Learns or deletes a mail, and returns the outcome of each hash; none if the mail has no hash. */
    public List<HashOutcome> learn(byte[] mail, LearnRequest request) {
        LearnReport report = rule.learn(mail, request).join();
        requireHashed(report.failure().flatMap(LearnReport.Failure::notHashed));
        return answered(report);
    }

    /** Removes digests from a flag, and returns the outcome of each. */
    public List<HashOutcome> forget(List<Digest> digests, int flag) {
        return answered(rule.forget(digests, flag).join());
    }

    /** The name of the file is the subject of the sentence. */
    private static void requireHashed(Optional<String> notHashed) {
        notHashed.ifPresent(reason -> {
            throw new FailedException(ExitCode.INPUT, "is not hashed: " + reason);
        });
    }

    private ScanResult answered(ScanResult result) {
        for (ScanResult.UpstreamFailure failure : result.failures()) {
            if (!failure.isRefusal()) {
                throw noAnswer(failure.message());
            }
        }
        result.failures().stream().findFirst().ifPresent(refusal -> {
            throw new FailedException(ExitCode.REFUSED, "the storage at " + refusal.message());
        });
        return result;
    }

    private List<HashOutcome> answered(LearnReport report) {
        List<HashOutcome> hashes = report.hashes();
        hashes.stream().filter(hash -> !hash.trouble().isEmpty()).findFirst().ifPresent(hash -> {
            throw noAnswer(hash.trouble());
        });
        return hashes;
    }

    private FailedException noAnswer(String trouble) {
        return Failures.of(StorageClient.noAnswer(address, key, timeout, trouble));
    }

    @Override
    public void close() {
        rule.close();
    }
}
