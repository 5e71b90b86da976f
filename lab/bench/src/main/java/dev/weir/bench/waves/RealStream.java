package dev.weir.bench.waves;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;

import dev.weir.bench.campaigns.StreamHasher;
import dev.weir.bench.campaigns.StreamMail;
import dev.weir.bench.report.Table;
import dev.weir.hash.FuzzyHash;
import dev.weir.hash.HashRule;
import dev.weir.hash.MailHasher;
import dev.weir.hash.kind.HashKind;
import dev.weir.model.Digest;
import dev.weir.scan.score.RecommendedKinds;
import dev.weir.storage.waves.WaveSettings;

/**
 * Real spam and mails of honest senders in one stream, nothing of which is ever learned: how many would get the answer
 * of a wave. Each folder of honest mail begins with the spam, and keeps the times between its mails.
 */
final class RealStream {
    private static final int PLAIN = 17;
    private static final Duration WINDOW = Duration.ofDays(7);
    private static final Duration KEEP = Duration.ofDays(8);
    private static final int ONE_CLIENT = WaveStand.address(192, 0, 2, 1);

    private final List<Hashed> mails = new ArrayList<>();
    private final List<String> folders = new ArrayList<>();
    private final int[] sizes;
    private final StreamHasher hasher;

    /**
     * A mail.
     *
     * @param folder 0 for spam, otherwise the number of the folder of honest mail
     */
    private record Hashed(long millis, int folder, List<FuzzyHash> hashes) {}

    RealStream(Path spam, List<Path> ham) throws IOException {
        hasher = new StreamHasher(MailHasher.standard(),
                HashRule.shipped().toBuilder().htmlShingles(true).kinds(HashKind.beyondRspamd()).build());
        List<Path> all = new ArrayList<>(List.of(spam));
        all.addAll(ham);
        sizes = new int[all.size()];
        long begin = 0;
        for (int i = 0; i < all.size(); i++) {
            List<StreamMail> folder = StreamMail.readAll(all.get(i)).stream()
                    .filter(mail -> mail.arrival().toEpochMilli() > 0).toList();
            long first = folder.isEmpty() ? 0 : folder.getFirst().arrival().toEpochMilli();
            begin = i == 0 ? first : begin;
            for (StreamMail mail : folder) {
                mails.add(new Hashed(mail.arrival().toEpochMilli() - first + begin, i, hasher.hash(mail)));
            }
            folders.add(i == 0 ? "spam" : String.valueOf(all.get(i).getFileName()));
            sizes[i] = folder.size();
        }
        mails.sort(Comparator.comparingLong(Hashed::millis));
    }

    /** Returns a table by hashes, threshold and size of a wave. */
    String run() {
        List<String> head = new ArrayList<>(List.of("hashes", "equal shingles", "earlier mails in 7 days"));
        for (int i = 0; i < sizes.length; i++) {
            head.add(folders.get(i) + ", " + sizes[i]);
        }
        Table table = new Table(head.toArray(String[]::new));
        for (boolean kinds : new boolean[]{false, true}) {
            for (int threshold : kinds ? new int[]{PLAIN, 0} : new int[]{PLAIN}) {
                for (int least : new int[]{2, 3, 5, 10}) {
                    table.row(row(kinds, threshold, least));
                }
            }
        }
        return table + "\n" + hasher.unread() + " mails were not hashed";
    }

    private static int recommended(HashKind kind) {
        return RecommendedKinds.withoutRules().needed(kind);
    }

    private String[] row(boolean kinds, int threshold, int least) {
        WaveStand stand = new WaveStand(WaveSettings.counting().withTable(200_000, KEEP).answering(1,
                new WaveSettings.Size(least, 1, WINDOW)), mails.getFirst().millis());
        int[] flagged = new int[sizes.length];
        for (Hashed mail : mails) {
            stand.at(mail.millis());
            // Groups may have left their window since the last mail.
            stand.collect();
            boolean hit = false;
            for (FuzzyHash hash : mail.hashes()) {
                if (kinds || !hash.kind().isBeyondRspamd()) {
                    long[] words = new long[Digest.WORDS];
                    Digest.of(hash.digest()).copyTo(words, 0);
                    int asked = threshold == 0 ? recommended(hash.kind()) : threshold;
                    hit |= stand.check(words, hash.shingles(), asked, ONE_CLIENT) > 0;
                }
            }
            stand.collect();
            flagged[mail.folder()] += hit ? 1 : 0;
        }
        List<String> cells = new ArrayList<>(List.of(kinds ? "all kinds" : "Rspamd's",
                threshold == 0 ? "as recommended" : String.valueOf(threshold), String.valueOf(least)));
        for (int i = 0; i < sizes.length; i++) {
            cells.add(String.format(Locale.ROOT, "%d (%.1f %%)", flagged[i], 100.0 * flagged[i] / sizes[i]));
        }
        return cells.toArray(String[]::new);
    }
}
