package dev.weir.storage.admin;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

import dev.weir.model.Digest;
import dev.weir.model.FlagValue;
import dev.weir.model.Update;
import dev.weir.storage.UpdateSubmitter;
import dev.weir.storage.hits.HashFamilies;
import dev.weir.storage.hits.WordSamples;
import dev.weir.storage.log.LoggedUpdate;
import dev.weir.storage.server.StorageServer;

/** The hashes that match most, grouped to families of near duplicates. */
public final class Campaigns {
    /** The most families that are returned. */
    public static final int MOST_FAMILIES = 100;

    private static final int COMPARED = 500;
    private static final int MOST_LEARNERS = 5;

    private final StorageServer storage;
    private final HashSearch search;

    /** Creates the campaigns of a storage. */
    public Campaigns(StorageServer storage) {
        this.storage = storage;
        this.search = new HashSearch(storage);
    }

    /**
     * A family of hashes.
     *
     * @param flags the flags of the most frequent hash
     * @param sample the first words of a mail with one of the hashes
     * @param learners who learned the most frequent hash lately
     */
    public record Campaign(HashFamilies.Family family, List<FlagValue> flags, Optional<WordSamples.Sample> sample,
            List<String> learners) {}

    /**
     * Returns the families with the most hits.
     *
     * @param byDay whether the hits of the day decide, rather than those of the hour
     * @throws RefusedException if the audit trail cannot be read
     */
    public List<Campaign> top(boolean byDay, int most, long now) throws RefusedException {
        List<HashFamilies.Family> families = HashFamilies
                .of(storage.hits().top(COMPARED, byDay, now), storage.hashes().index(), byDay).stream().limit(most)
                .toList();
        Set<Digest> leaders = new LinkedHashSet<>();
        families.forEach(family -> leaders.add(family.leader()));
        var changes = search.changes(leaders);
        List<Campaign> campaigns = new ArrayList<>();
        for (HashFamilies.Family family : families) {
            Optional<WordSamples.Sample> sample = family.members().stream()
                    .map(hits -> storage.samples().of(hits.digest())).flatMap(Optional::stream).findFirst();
            campaigns.add(new Campaign(family, storage.find(family.leader()), sample,
                    learners(changes.getOrDefault(family.leader(), new ArrayDeque<>()))));
        }
        return campaigns;
    }

    private static List<String> learners(Collection<LoggedUpdate> changes) {
        return changes.stream().filter(change -> change.update() instanceof Update.Write).map(Campaigns::learner)
                .distinct().limit(MOST_LEARNERS).toList();
    }

    private static String learner(LoggedUpdate change) {
        UpdateSubmitter submission = change.origin().submission();
        if (submission != null) {
            return submission.user().isEmpty() ? submission.client() : submission.user();
        }
        return change.origin().address() == null ? "storage" : change.origin().address().getHostAddress();
    }
}
