package dev.weir.storage.waves;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.Instant;
import java.time.format.DateTimeFormatter;
import java.time.temporal.ChronoUnit;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.Predicate;
import java.util.function.Supplier;

import dev.weir.model.Digest;
import dev.weir.model.KeyedHash;
import dev.weir.model.failure.Reason;
import dev.weir.os.ThreadScheduling;
import dev.weir.storage.UpdateSubmitter;
import dev.weir.storage.access.gate.Rules;
import dev.weir.storage.engine.LiveHashes;
import dev.weir.storage.index.FlagThresholds;
import dev.weir.storage.notes.NodeNotes;
import dev.weir.storage.sampling.CountCurve;
import dev.weir.storage.state.StateFile;
import dev.weir.storage.state.StateFormat;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The waves of a storage: one thread empties the rings of the receiving threads into a table, and decides each second
 * which groups answer checks and which are learned. Other nodes add their counts. Thread-safe.
 */
public final class Waves implements NodeNotes, AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Waves.class);

    /** The format of the file that keeps groups over restarts. */
    public static final StateFormat FORMAT = WaveFile.FORMAT;

    /** The credential of an automatic learn in the audit trail. */
    public static final String CREDENTIAL = "wave";

    /** The pause between two readings of the rings: 40,000 checks a second fit into a ring. */
    private static final long READ_NANOS = TimeUnit.MILLISECONDS.toNanos(50);
    private static final long JUDGE_MILLIS = 1_000;
    private static final long AGE_MILLIS = 60_000;

    /**
     * How much later each further node learns a group, so that the ones before it have told that they did: three times
     * the pause between two notes.
     */
    private static final long LEARN_TURN_MILLIS = 30_000;
    private static final long LEARN_TURN_MILLIS_OF_A_NODE = 3_000;

    /** How long a node waits for the first note of another one. */
    private static final long FIRST_NOTES_MILLIS = 60_000;

    /** How long a look among the known hashes counts. */
    private static final long EXAMINED_MILLIS = 10_000;

    private static final Duration HOUR = Duration.ofHours(1);
    private static final Duration DAY = Duration.ofDays(1);
    private static final DateTimeFormatter STAMP = DateTimeFormatter.ISO_INSTANT;

    private final LiveHashes hashes;
    private final Supplier<Rules> rules;
    private final WaveSettings.Table size;
    private final WaveTable table;
    private final AnsweringWaves answers;
    private final WaveLearner learner;
    private final WaveExamination examination;
    private final List<MissRecorder> recorders = new CopyOnWriteArrayList<>();
    private final Miss miss = new Miss();

    /** The key of the hashes of clients and senders. A restart goes on with it; other nodes may bring another. */
    private volatile WaveKey key;
    private volatile WaveSettings settings;
    private volatile boolean stopped;
    private @Nullable Thread thread;
    private long checks;
    private long learned;
    private long learnsHeld;
    private long agedMillis;
    private final OtherNodes others;
    private final long madeMillis;
    private boolean exchanges;
    private BooleanSupplier learnsHere = () -> true;
    private boolean keyChanged;
    private long unsent;
    private long exchangesFailed;
    private long notesRefused;
    private String refusal = "";

    /**
     * Creates waves without groups.
     *
     * @param hashes the known hashes
     * @param rules returns the rules in force
     */
    public Waves(WaveSettings settings, LiveHashes hashes, Supplier<Rules> rules, SecureRandom random) {
        this.settings = settings;
        this.hashes = hashes;
        this.rules = rules;
        this.size = settings.table();
        FlagThresholds thresholds = rules.get().thresholds();
        int threshold = settings.answer()
                .map(answer -> thresholds.of(answer.flag(), FlagThresholds.USUAL)).orElse(FlagThresholds.USUAL);
        this.table = new WaveTable(size, threshold, KeyedHash.random(random), new SplittableRandom(random.nextLong()));
        this.answers = new AnsweringWaves(KeyedHash.random(random));
        this.learner = new WaveLearner(hashes, random);
        this.examination = new WaveExamination(hashes, rules);
        this.key = WaveKey.random(random, hashes.now());
        this.others = new OtherNodes(table);
        this.table.onForgotten(wave -> {
            answers.remove(wave);
            others.forgotten(wave);
        });
        this.madeMillis = hashes.now();
        this.agedMillis = madeMillis;
    }

    /**
     * Says that notes of other nodes will come, which know what must not be learned. Call it before {@link #start}.
     *
     * @param leads whether this node takes updates itself; the leader learns for its followers
     */
    public synchronized void exchangesWithOthers(BooleanSupplier leads) {
        exchanges = true;
        learnsHere = leads;
    }

    /** Reads the groups of an earlier process. Call it before {@link #newRecorder}. */
    public synchronized void load(StateFile file) {
        WaveFile.Content content = WaveFile.read(file, table.hours(), new WaveFile.Content(key, List.of()));
        key = content.key();
        table.restore(content.waves());
        long now = hashes.now();
        // First, because a group on the skip list stays, however old it is.
        table.waves().forEach(wave -> examine(wave, now));
        table.age(now, 0);
    }

    /**
     * Writes the strongest groups to a file.
     *
     * @throws IOException if it cannot be written; the old file is there then
     */
    public void save(StateFile file) throws IOException {
        byte[] content;
        synchronized (this) {
            Comparator<Wave> weakest = (one, other) -> one.isStrongerThan(other)
                    ? 1
                    : other.isStrongerThan(one) ? -1 : 0;
            content = WaveFile.pack(new WaveFile.Content(key, table.waves().stream()
                    .filter(wave -> wave.checks > 0 || wave.state == WaveState.SKIPPED)
                    .filter(wave -> wave.members.stream().anyMatch(Wave.Member::whole))
                    .sorted(weakest.reversed()).limit(WaveFile.MOST).map(SavedWave::of).toList()));
        }
        file.write(content);
    }

    /** Returns the part for a new receiving thread. */
    public MissRecorder newRecorder() {
        KeyedHash keyed = key.hash();
        MissRecorder recorder = new MissRecorder(answers, keyed, new ExemptSenders(settings.exclusions(), keyed));
        recorders.add(recorder);
        return recorder;
    }

    /** Starts the thread. */
    public synchronized void start() {
        thread = Thread.ofPlatform().daemon().name("weir-waves").start(this::run);
    }

    private void run() {
        // Checks go before their counts: if all processors are busy, the rings sample.
        ThreadScheduling.useBatchPolicy();
        ThreadScheduling.runInIdleTime();
        long judged = hashes.now();
        boolean failing = false;
        while (!stopped) {
            try {
                long now = hashes.now();
                drain(now);
                if (Math.abs(now - judged) >= JUDGE_MILLIS) {
                    judged = now;
                    judge(now);
                }
                failing = false;
            } catch (RuntimeException e) {
                if (!failing) {
                    LOG.error("a part of the waves was not counted; further failures are not logged", e);
                }
                failing = true;
            }
            LockSupport.parkNanos(READ_NANOS);
        }
    }

    /**
     * Does what the thread of the waves does, for a program that drives the time itself instead of calling
     * {@link #start}: empties the rings, and decides about the groups.
     */
    public void collect(long now) {
        drain(now);
        judge(now);
    }

    /** Empties the rings into the table. */
    synchronized void drain(long now) {
        for (MissRecorder recorder : recorders) {
            recorder.ring().drain(miss, one -> {
                checks += one.weight();
                table.take(one, now);
            });
        }
        if (keyChanged) {
            // The rings are empty, so nothing with the old key comes any more.
            keyChanged = false;
            table.forgetWho();
        }
    }

    private void useKey() {
        KeyedHash keyed = key.hash();
        ExemptSenders exempt = new ExemptSenders(settings.exclusions(), keyed);
        recorders.forEach(recorder -> recorder.use(keyed, exempt));
    }

    @Override
    public synchronized byte[] write(Predicate<String> known) {
        try {
            return WaveNote.pack(key, others.tell(known, examination::isSkipped), leftOut -> unsent = leftOut);
        } catch (IOException e) {
            throw new UncheckedIOException("a note in memory cannot be written", e);
        }
    }

    @Override
    public void read(String from, boolean first, byte[] note) {
        WaveFile.Content content;
        try {
            content = WaveNote.unpack(note, table.hours());
        } catch (IOException e) {
            refuse(from, Reason.of(e));
            return;
        }
        synchronized (this) {
            if (!content.key().isSame(key)) {
                if (!content.key().wins(key)) {
                    // That node takes the key of this one, and its next note fits.
                    return;
                }
                LOG.info("the counts of clients and senders of waves start again, with the key of the other nodes");
                key = content.key();
                keyChanged = true;
                useKey();
                // What is told or saved before the rings are empty must not have hashes under the old key.
                table.forgetWho();
                others.forgetWho();
            }
            others.hear(from, first, content.waves(), hashes.now());
        }
    }

    private synchronized void refuse(String from, String reason) {
        notesRefused++;
        String text = from + ": " + reason;
        if (!text.equals(refusal)) {
            LOG.warn("the counts of waves of another node are not used ({})", text);
        }
        refusal = text;
    }

    @Override
    public synchronized void forget() {
        others.forget();
    }

    @Override
    public synchronized void failed() {
        exchangesFailed++;
    }

    /** Decides about the groups. */
    synchronized void judge(long now) {
        if (Math.abs(now - agedMillis) >= AGE_MILLIS) {
            others.age(now);
            table.age(now, Math.min(1, Math.abs(now - agedMillis) / (double) size.keep().toMillis()));
            agedMillis = now;
        }
        WaveSettings current = settings;
        for (Wave wave : table.waves()) {
            if (wave.changed || wave.answers || wave.state.isExcluded()) {
                wave.changed = false;
                wave.turn(now / CountCurve.MINUTE_MILLIS);
                judge(wave, current, now);
            }
        }
    }

    private void judge(Wave wave, WaveSettings current, long now) {
        boolean large = current.answer().filter(answer -> isOf(wave, answer.size())).isPresent();
        boolean learnable = learnsHere.getAsBoolean() && wave.state != WaveState.LEARNED && !wave.learned
                && current.learn().filter(rule -> isOf(wave, rule.size())).isPresent();
        if ((large || learnable || wave.state.isExcluded()) && Math.abs(now - wave.examinedMillis) >= EXAMINED_MILLIS) {
            examine(wave, now);
        }
        if (wave.state.isExcluded() || !large) {
            answers.remove(wave);
        } else {
            WaveSettings.Answer answer = current.answer().orElseThrow();
            answers.put(wave, answer.flag(), answer.size().window(), now / 1_000);
        }
        if (!wave.state.isExcluded() && learnable && wave.state != WaveState.KNOWN) {
            learnInTurn(wave, current.learn().orElseThrow(), now);
        } else {
            wave.learnableMillis = 0;
        }
        if (wave.state == WaveState.COUNTED || wave.state == WaveState.ANSWERS) {
            wave.state = wave.answers ? WaveState.ANSWERS : WaveState.COUNTED;
        }
    }

    private static boolean isOf(Wave wave, WaveSettings.Size size) {
        return wave.within(size.window()) >= size.minChecks() && wave.clientCount() >= size.minClients();
    }

    private void examine(Wave wave, long now) {
        wave.examinedMillis = now;
        WaveState found = examination.of(wave, settings.exclusions().wantedFlags(), now);
        if (wave.state != WaveState.LEARNED || found.isExcluded()) {
            wave.state = found;
        }
    }

    /** Learns a group, unless another node learns or excludes it before the turn of this one. */
    private void learnInTurn(Wave wave, WaveSettings.Learn rule, long now) {
        if (wave.learnableMillis == 0) {
            wave.learnableMillis = now;
        }
        if (Math.abs(now - wave.learnableMillis) < turns(wave, now)
                * Math.max(LEARN_TURN_MILLIS, others.size() * LEARN_TURN_MILLIS_OF_A_NODE)) {
            // The next round judges it again, even without a further check.
            wave.changed = true;
            return;
        }
        examine(wave, now);
        if (!wave.state.isExcluded() && wave.state != WaveState.KNOWN) {
            learn(wave, rule, now);
        }
    }

    /** Returns how many turns a group waits: the first one lets the notes of other nodes arrive. */
    private long turns(Wave wave, long now) {
        boolean awaitsFirst = exchanges && Math.abs(now - madeMillis) < FIRST_NOTES_MILLIS;
        return others.size() > 0 || awaitsFirst ? 1 + wave.nodesBefore() : 0;
    }

    private void learn(Wave wave, WaveSettings.Learn rule, long now) {
        if (rules.get().access().updates().readOnly() || wave.members.stream().noneMatch(Wave.Member::whole)) {
            return;
        }
        if (!learner.takePlace(rule.mostPerHour(), now)) {
            learnsHeld++;
            // It is judged again with its next check.
            return;
        }
        WaveReport report = WaveReport.of(wave);
        String id = learnId(report, Instant.ofEpochMilli(now));
        UpdateSubmitter by = new UpdateSubmitter("", CREDENTIAL,
                String.format(Locale.ROOT, "%d checks of %d clients in %d networks within %s",
                        wave.within(rule.size().window()), report.clients(), report.networks(),
                        rule.size().window()),
                id);
        wave.state = WaveState.LEARNED;
        var _ = learner.learn(report.members(), rule.flag(), rule.weight(), by, now).thenAccept(stored -> {
            if (stored > 0) {
                LOG.info("a wave was learned to flag {} (hashes: {}), {}; undo it with weir undo --mail {}",
                        rule.flag(), stored, by.user(), id);
            }
            noteLearned(report.leader(), stored > 0);
        });
    }

    /** Returns the Message-ID under which a group is learned, by which one undo reverses it. */
    public static String learnId(WaveReport wave, Instant now) {
        return "wave-" + wave.name() + "-" + STAMP.format(now.truncatedTo(ChronoUnit.SECONDS)).replaceAll("[:-]", "");
    }

    private synchronized void noteLearned(Digest leader, boolean stored) {
        if (stored) {
            learned++;
            find(leader.hex()).ifPresent(wave -> wave.learned = true);
        } else {
            // The queue was full, or the disk: another try may succeed.
            find(leader.hex()).ifPresent(wave -> {
                wave.state = WaveState.COUNTED;
                wave.changed = true;
            });
        }
    }

    private Optional<Wave> find(String prefix) {
        return table.waves().stream()
                .filter(wave -> wave.members.stream().anyMatch(member -> member.digest().hex().startsWith(prefix)))
                .findFirst();
    }

    /** Replaces what can change while the storage runs: all but the size of the table. */
    public synchronized void reconfigure(WaveSettings next) {
        boolean sameFlag = next.answer().map(WaveSettings.Answer::flag)
                .equals(settings.answer().map(WaveSettings.Answer::flag));
        settings = next;
        useKey();
        for (Wave wave : table.waves()) {
            if (!sameFlag) {
                answers.remove(wave);
            }
            wave.changed = true;
            wave.examinedMillis = 0;
        }
    }

    /** Returns the settings in force. */
    public WaveSettings settings() {
        return settings;
    }

    /** The order of a list of groups. */
    public enum Order {
        /** The fastest growing first. */
        GROWTH,
        /** Those with the most checks in the last hour first. */
        HOUR,
        /** Those with the most checks in the last day first. */
        DAY
    }

    /** Returns the first groups of an order that were asked about in its time. */
    public synchronized List<WaveReport> top(Order order, int most) {
        long now = hashes.now();
        long minute = now / CountCurve.MINUTE_MILLIS;
        Comparator<WaveReport> byHour = Comparator.comparingLong(WaveReport::hour);
        Comparator<WaveReport> comparator = switch (order) {
            case GROWTH -> Comparator.comparingDouble(WaveReport::growth).thenComparing(byHour);
            case HOUR -> byHour;
            case DAY -> Comparator.comparingLong(WaveReport::day);
        };
        Duration shown = order == Order.DAY ? DAY : HOUR;
        return table.waves().stream().peek(wave -> wave.turn(minute)).filter(wave -> wave.within(shown) > 0)
                .map(WaveReport::of)
                .sorted(comparator.reversed().thenComparing(WaveReport::name)).limit(most)
                .map(report -> find(report.leader().hex()).map(wave -> {
                    examine(wave, now);
                    return WaveReport.of(wave);
                }).orElse(report)).toList();
    }

    /** Returns the group with a digest that begins with some hexadecimal digits. */
    public synchronized Optional<WaveReport> group(String prefix) {
        long now = hashes.now();
        return find(prefix.toLowerCase(Locale.ROOT)).map(wave -> {
            wave.turn(now / CountCurve.MINUTE_MILLIS);
            examine(wave, now);
            return WaveReport.of(wave);
        });
    }

    /**
     * Learns a group for an operator.
     *
     * @param by the operator, with an identifier for the undo
     * @return completes with the number of stored hashes
     */
    public CompletableFuture<Integer> learn(WaveReport report, int flag, int weight, UpdateSubmitter by) {
        return learner.learn(report.members(), flag, weight, by, hashes.now()).thenApply(stored -> {
            if (stored > 0) {
                synchronized (this) {
                    find(report.leader().hex()).ifPresent(wave -> {
                        wave.state = WaveState.LEARNED;
                        wave.learned = true;
                    });
                }
            }
            return stored;
        });
    }

    /** Returns whether a digest belongs to a group, so that the first words of its mail may be kept. */
    public synchronized boolean has(Digest digest) {
        return table.has(digest);
    }

    /** Judges a group again, because the skip list changed. */
    public synchronized void examineAgain(Digest digest) {
        find(digest.hex()).ifPresent(wave -> {
            examine(wave, hashes.now());
            if (wave.state.isExcluded()) {
                answers.remove(wave);
            }
        });
    }

    /** Returns the figures. */
    public synchronized WaveFigures figures() {
        List<Wave> all = table.waves();
        long minute = hashes.now() / CountCurve.MINUTE_MILLIS;
        long largest = 0;
        int excluded = 0;
        for (Wave wave : all) {
            wave.turn(minute);
            if (wave.state.isExcluded()) {
                excluded++;
            } else {
                largest = Math.max(largest, wave.within(HOUR));
            }
        }
        return new WaveFigures(all.size(), answers.size(), excluded, table.signatures(), size.signatures(), largest,
                checks, recorders.stream().mapToLong(recorder -> recorder.ring().dropped()).sum(),
                recorders.stream().mapToLong(recorder -> recorder.ring().leftOut()).sum(),
                recorders.stream().mapToLong(recorder -> recorder.ring().sampling()).max().orElse(1),
                table.displaced(), table.displacedWaves(), learned, learnsHeld, others.size(),
                unsent, others.ignored(), exchangesFailed, notesRefused,
                table.bytes() + answers.bytes() + others.bytes() + (long) recorders.size() * MissRing.BYTES,
                mostBytes());
    }

    private long mostBytes() {
        return WaveTable.mostBytes(size) + AnsweringWaves.MOST_BYTES + others.mostBytes()
                + (long) recorders.size() * MissRing.BYTES;
    }

    /** Ends the thread. */
    @Override
    public void close() {
        stopped = true;
        Thread running;
        synchronized (this) {
            running = thread;
        }
        if (running != null) {
            LockSupport.unpark(running);
            try {
                running.join();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
