package dev.weir.storage.admin;

import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

import dev.weir.model.Signature;
import dev.weir.storage.UpdateSubmitter;
import dev.weir.storage.admin.RefusedException.Ground;
import dev.weir.storage.hits.WordSamples;
import dev.weir.storage.server.StorageServer;
import dev.weir.storage.waves.WaveReport;
import dev.weir.storage.waves.Waves;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What an operator sees of waves and does about them. */
public final class WaveAdmin {
    /** The most groups that are returned. */
    public static final int MOST = 100;

    /** The fewest digits that name a group. */
    private static final int LEAST_DIGITS = 8;

    private static final int LEARN_SECONDS = 60;
    private static final int REASON_DIGITS = 16;
    private static final Logger LOG = LoggerFactory.getLogger(WaveAdmin.class);

    private final StorageServer storage;
    private final AccessAdmin access;

    /** Creates the administration of a storage. */
    public WaveAdmin(StorageServer storage) {
        this.storage = storage;
        this.access = new AccessAdmin(storage);
    }

    /**
     * A group with the first words of one of its mails, if they are kept.
     *
     * @param equalSlots how many shingles of 32 each member shares with the one that names the group; below 0 if the
     *            shingles are not kept
     */
    public record Shown(WaveReport wave, Optional<WordSamples.Sample> sample, List<Integer> equalSlots) {
        /** Copies the list. */
        public Shown {
            equalSlots = List.copyOf(equalSlots);
        }
    }

    /**
     * What was done about a group.
     *
     * @param id what undoes it: the Message-ID of a learn; empty if nothing was learned
     */
    public record Done(Shown wave, int hashes, String id) {}

    private Waves waves() throws RefusedException {
        return storage.waves().orElseThrow(() -> new RefusedException(Ground.IMPOSSIBLE,
                "waves are not counted: write waves { } into worker \"fuzzy\""));
    }

    /** Returns whether waves are counted. */
    public boolean counts() {
        return storage.waves().isPresent();
    }

    /** Returns the first groups of an order; none if they are not counted. */
    public List<Shown> top(Waves.Order order, int most) {
        return storage.waves().map(waves -> waves.top(order, most)).orElse(List.of()).stream().map(this::shown)
                .toList();
    }

    /**
     * Returns a group.
     *
     * @param name the beginning of a digest of it
     * @throws RefusedException if there is none, or waves are not counted
     */
    public Shown group(String name) throws RefusedException {
        return shown(find(name));
    }

    private WaveReport find(String name) throws RefusedException {
        if (name.length() < LEAST_DIGITS) {
            throw new RefusedException(Ground.INVALID,
                    "a wave is named by at least " + LEAST_DIGITS + " hexadecimal digits of a digest");
        }
        return waves().group(name)
                .orElseThrow(() -> new RefusedException(Ground.ABSENT, "there is no wave " + name + " any more"));
    }

    private Shown shown(WaveReport wave) {
        Optional<WordSamples.Sample> sample = wave.members().stream()
                .map(member -> storage.samples().of(member.digest())).flatMap(Optional::stream).findFirst();
        Optional<Signature> leader = wave.members().stream()
                .filter(member -> member.digest().equals(wave.leader())).findFirst()
                .flatMap(WaveReport.Member::signature);
        return new Shown(wave, sample, wave.members().stream()
                .map(member -> leader.isPresent() && member.signature().isPresent()
                        ? leader.get().equalSlots(member.signature().get())
                        : -1)
                .toList());
    }

    /**
     * Learns the hashes of a group, under one Message-ID, so that one undo reverses it.
     *
     * @param by the operator
     * @throws RefusedException if the group is gone, excluded or has nothing that can be learned, or the storage takes
     *             no updates
     */
    public Done learn(String name, int flag, int weight, UpdateSubmitter by)
            throws RefusedException, InterruptedException {
        WaveReport wave = find(name);
        if (wave.state().isExcluded()) {
            throw new RefusedException(Ground.IMPOSSIBLE, "the wave is " + switch (wave.state()) {
                case SKIPPED -> "on the skip list: take it off first";
                case EXCLUDED -> "excluded by another node: see its skip list and exempt senders";
                case WANTED -> "near wanted mail: learn a mail of it by hand if it is spam";
                default -> "of an exempt sender: learn a mail of it by hand if it is spam";
            });
        }
        if (storage.access().updates().readOnly()) {
            throw new RefusedException(Ground.IMPOSSIBLE, "the storage is read-only");
        }
        String id = Waves.learnId(wave, Instant.ofEpochMilli(storage.hashes().now()));
        UpdateSubmitter learner = new UpdateSubmitter(by.client(), by.credential(), by.user(), id);
        int stored;
        try {
            stored = waves().learn(wave, flag, weight, learner).get(LEARN_SECONDS, TimeUnit.SECONDS);
        } catch (ExecutionException | TimeoutException e) {
            throw new RefusedException(Ground.UNAVAILABLE,
                    "the storage did not confirm it; it may be learned: look for "
                            + id + " in weir log");
        }
        if (stored == 0) {
            throw new RefusedException(Ground.UNAVAILABLE, "the storage took no hash of the wave; see its log");
        }
        LOG.info("the wave {} was learned to flag {} by {} (hashes: {}); undo it with weir undo --mail {}", wave.name(),
                flag, by.description(), stored, id);
        return new Done(group(wave.name()), stored, id);
    }

    /**
     * Puts the hashes of a group on the skip list: it is bulk mail that is no spam. It does not answer until the entry
     * ends, and mails near it are recognized as long.
     *
     * @param end the end; empty for none
     * @param by the operator
     * @throws RefusedException as {@link AccessAdmin#skip}, and if the group is gone
     */
    public Done never(String name, String reason, Optional<Instant> end, UpdateSubmitter by) throws RefusedException {
        WaveReport wave = find(name);
        for (WaveReport.Member member : wave.members()) {
            access.skip(member.digest(), reason.isEmpty()
                    ? "wave " + wave.leader().hex().substring(0, REASON_DIGITS)
                    : reason, end, by);
        }
        waves().examineAgain(wave.leader());
        return new Done(group(wave.name()), wave.members().size(), "");
    }
}
