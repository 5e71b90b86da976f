package dev.weir.bench.waves;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.SplittableRandom;

import dev.weir.bench.report.Table;
import dev.weir.model.Digest;
import dev.weir.model.Signature;
import dev.weir.storage.waves.WaveFigures;
import dev.weir.storage.waves.WaveReport;
import dev.weir.storage.waves.WaveSettings;
import dev.weir.storage.waves.Waves;

/**
 * A stream of different mails with waves among them, whose true sizes are known. A fifth of the different mails share a
 * footer or a template: 6 to 14 of 32 shingles of one of 500 texts. The copies of a wave have other names, links and
 * paragraphs: 1 to 12 other shingles than its text. A flood comes from one network, half of it mails that come twice.
 */
final class SyntheticStream {
    private static final int WAVES = 50;
    private static final int LEAST = 20;
    private static final int MOST = 5_000;
    private static final int TEMPLATES = 500;
    private static final int TICK_MILLIS = 50;
    private static final int NETWORKS = 200;
    private static final long START = 1_800_000_000_000L;
    private static final int PLAIN = 17;

    private final SplittableRandom random;
    private final int seconds;
    private final int perSecond;
    private final int flood;
    private final WaveStand stand = new WaveStand(WaveSettings.counting(), START);
    private final long[][] templates = new long[TEMPLATES][];
    private final List<Planted> planted = new ArrayList<>();
    private final Map<Digest, Planted> byDigest = new HashMap<>();
    private final long[] digest = new long[Digest.WORDS];
    private final long[] shingles = new long[Signature.SLOTS];

    /** A wave. */
    private static final class Planted {
        private final int size;
        private final long[] text;
        private final long[] times;
        private int sent;
        private int lastClient;

        private Planted(int size, long[] text, long[] times) {
            this.size = size;
            this.text = text;
            this.times = times;
        }
    }

    SyntheticStream(long seed, int seconds, int perSecond, int flood) {
        this.random = new SplittableRandom(seed);
        this.seconds = seconds;
        this.perSecond = perSecond;
        this.flood = flood;
        for (int i = 0; i < TEMPLATES; i++) {
            templates[i] = text();
        }
        for (int i = 0; i < WAVES; i++) {
            int size = (int) Math.round(LEAST * Math.pow(MOST / (double) LEAST, i / (WAVES - 1.0)));
            long begin = random.nextInt(seconds * 500);
            long length = Math.min(seconds * 1_000L - begin, 30_000L + random.nextInt(seconds * 400));
            planted.add(new Planted(size, text(),
                    random.longs(size, START + begin, START + begin + length).sorted().toArray()));
        }
    }

    private long[] text() {
        return random.longs(Signature.SLOTS).toArray();
    }

    /** Runs the stream and returns what was found. */
    String run() {
        long checks = 0;
        long collecting = 0;
        ThreadMXBean threads = ManagementFactory.getThreadMXBean();
        long[] twice = new long[Signature.SLOTS];
        for (long tick = 0; tick < seconds * 1_000L / TICK_MILLIS; tick++) {
            long now = START + tick * TICK_MILLIS;
            stand.at(now);
            int different = perSecond * TICK_MILLIS / 1_000;
            for (int i = 0; i < different; i++) {
                one();
                checks++;
            }
            for (Planted wave : planted) {
                while (wave.sent < wave.size && wave.times[wave.sent] <= now) {
                    copy(wave);
                    checks++;
                }
            }
            for (int i = 0; i < flood * TICK_MILLIS / 1_000; i++) {
                if (i % 4 == 0) {
                    fill(twice);
                }
                System.arraycopy(twice, 0, shingles, 0, shingles.length);
                if (i % 4 > 1) {
                    fill(shingles);
                }
                fill(digest);
                stand.check(digest, shingles, PLAIN, WaveStand.address(198, 51, 100, random.nextInt(256)));
                checks++;
            }
            long before = threads.getCurrentThreadCpuTime();
            stand.collect();
            collecting += threads.getCurrentThreadCpuTime() - before;
        }
        return report(checks, collecting);
    }

    private void fill(long[] target) {
        for (int i = 0; i < target.length; i++) {
            target[i] = random.nextLong();
        }
    }

    private int client() {
        return WaveStand.address(10, random.nextInt(NETWORKS), 1, 1 + random.nextInt(10));
    }

    private void one() {
        fill(digest);
        fill(shingles);
        if (random.nextInt(5) == 0) {
            long[] template = templates[random.nextInt(TEMPLATES)];
            int equal = 6 + random.nextInt(9);
            for (int i = 0; i < equal; i++) {
                int slot = random.nextInt(Signature.SLOTS);
                shingles[slot] = template[slot];
            }
        }
        stand.check(digest, shingles, PLAIN, client());
    }

    private void copy(Planted wave) {
        fill(digest);
        System.arraycopy(wave.text, 0, shingles, 0, shingles.length);
        int changed = 1 + random.nextInt(12);
        for (int i = 0; i < changed; i++) {
            shingles[random.nextInt(Signature.SLOTS)] = random.nextLong();
        }
        byDigest.put(Digest.ofWords(digest, 0), wave);
        wave.lastClient = client();
        stand.check(digest, shingles, PLAIN, wave.lastClient);
        wave.sent++;
    }

    private String report(long checks, long nanos) {
        Map<Planted, long[]> found = new HashMap<>();
        long other = 0;
        long besides = 0;
        for (WaveReport group : stand.waves().top(Waves.Order.DAY, Integer.MAX_VALUE)) {
            Planted wave = group.members().stream().map(member -> byDigest.get(member.digest()))
                    .filter(one -> one != null).findFirst().orElse(null);
            if (wave == null) {
                other++;
                besides += group.checks() >= LEAST ? 1 : 0;
            } else {
                long[] counts = found.computeIfAbsent(wave, _ -> new long[3]);
                counts[0] += group.checks();
                counts[1] = Math.max(counts[1], group.checks());
                counts[2]++;
            }
        }
        Table table = new Table("copies sent", "waves", "found", "counted, least", "counted, mean",
                "in the largest group, mean", "groups of a wave");
        int[] bounds = {LEAST, 50, 200, 1_000, MOST + 1};
        for (int i = 0; i + 1 < bounds.length; i++) {
            int from = bounds[i];
            int to = bounds[i + 1];
            List<Planted> of = planted.stream().filter(wave -> wave.size >= from && wave.size < to).toList();
            List<long[]> counts = of.stream().map(wave -> found.getOrDefault(wave, new long[3])).toList();
            double[] shares = new double[of.size()];
            double[] largest = new double[of.size()];
            for (int j = 0; j < of.size(); j++) {
                shares[j] = counts.get(j)[0] / (double) of.get(j).sent;
                largest[j] = counts.get(j)[1] / (double) of.get(j).sent;
            }
            table.row(from + " to " + (to - 1), String.valueOf(of.size()),
                    String.valueOf(counts.stream().filter(count -> count[0] > 1).count()),
                    percent(Arrays.stream(shares).min().orElse(0)),
                    percent(Arrays.stream(shares).average().orElse(0)),
                    percent(Arrays.stream(largest).average().orElse(0)),
                    String.format(Locale.ROOT, "%.1f",
                            counts.stream().mapToLong(count -> count[2]).average().orElse(0)));
        }
        WaveFigures figures = stand.waves().figures();
        return table + "\n" + Table.number(checks) + " checks in " + Duration.ofSeconds(seconds) + " of the stream; "
                + other + " other groups, " + besides + " of them with " + LEAST + " checks or more\n"
                + figures.dropped() + " dropped, " + figures.leftOut() + " left out by sampling; "
                + figures.displaced() + " signatures and " + figures.displacedGroups() + " groups made room; "
                + figures.bytes() / 1_000_000 + " MB of at most " + figures.mostBytes() / 1_000_000 + " MB\n"
                + Table.time(Duration.ofNanos(nanos * 1_000_000 / Math.max(1, checks - figures.leftOut())))
                + " of processor time of the background thread for a million counted checks";
    }

    private static String percent(double share) {
        return String.format(Locale.ROOT, "%.1f %%", 100 * share);
    }
}
