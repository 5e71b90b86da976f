package dev.weir.storage.undo;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;

import dev.weir.model.Digest;
import dev.weir.model.FlagValue;
import dev.weir.model.Signature;
import dev.weir.model.Update;
import dev.weir.storage.StorageException;
import dev.weir.storage.Submission;
import dev.weir.storage.backend.BackendView;
import dev.weir.storage.engine.FolderStore;
import dev.weir.storage.engine.StorageEngine;
import dev.weir.storage.log.LoggedUpdate;
import dev.weir.storage.trail.AuditTrail;
import dev.weir.storage.trail.TrailFilter;

/**
 * The computation of an {@link UndoPlan}. Undoing a change takes back its weight, and nothing that others brought: a
 * first reading of the audit trail finds the hashes that the selection touched; a second one follows each of their
 * flags through all changes. A later deletion or expiry voids what came before. An earlier undo, whose changes name the
 * revisions that they took back, voids exactly those.
 */
final class UndoPlanner {
    /** The most hashes and the most changes of one undo: some hundred bytes of memory each. */
    static final int MOST = 1_000_000;

    private final Path folder;
    private final StorageEngine engine;

    UndoPlanner(Path folder, StorageEngine engine) {
        this.folder = folder;
        this.engine = engine;
    }

    /** One flag of one hash on its way through the trail. */
    private static final class Track {
        private final Map<Long, Long> live = new LinkedHashMap<>();
        /** The contributions that earlier undos took back, by the revision of the undo. */
        private final Map<Long, Long> undone = new HashMap<>();
        private long sum;
        private boolean touched;

        private void write(long revision, long weight, boolean selected, OptionalLong undoes) {
            sum = FlagValue.add(sum, weight);
            touched |= selected;
            if (selected) {
                live.merge(revision, weight, Long::sum);
            } else if (undoes.isPresent()) {
                long target = undone.getOrDefault(undoes.getAsLong(), undoes.getAsLong());
                undone.put(revision, target);
                live.computeIfPresent(target, (_, was) -> was + weight);
            }
        }

        private void delete(long revision, boolean selected, boolean byUndo) {
            touched |= selected;
            long others = sum - live.values().stream().mapToLong(Long::longValue).sum();
            if (!byUndo || !selected) {
                live.clear();
            }
            if (selected && !byUndo && others != 0) {
                live.put(revision, -others);
            }
            sum = 0;
        }

        private List<UndoStep.Contribution> contributions() {
            return live.entrySet().stream().filter(entry -> entry.getValue() != 0)
                    .map(entry -> new UndoStep.Contribution(entry.getKey(), entry.getValue())).toList();
        }
    }

    UndoPlan plan(UndoRequest request) throws StorageException {
        long revision = engine.stats().revision();
        UndoRequest now = request.upTo(revision);
        return now.digests().isEmpty() ? ofChanges(now, revision) : ofHashes(now, revision);
    }

    private UndoPlan ofHashes(UndoRequest request, long revision) throws StorageException {
        List<UndoStep> steps = new ArrayList<>();
        long gone = 0;
        Set<Digest> digests = new HashSet<>(request.digests());
        Map<Digest, Signature> signatures = signatures(digests, new HashMap<>());
        for (Digest digest : digests) {
            List<FlagValue> flags = engine.find(digest).stream()
                    .filter(flag -> request.filter().flag().isEmpty()
                            || request.filter().flag().getAsInt() == flag.flag())
                    .toList();
            gone += flags.isEmpty() ? 1 : 0;
            for (FlagValue flag : flags) {
                steps.add(new UndoStep(digest, flag.flag(), List.of(new UndoStep.Contribution(0, flag.value())),
                        flag.value(), true, signatures.get(digest)));
            }
        }
        return new UndoPlan(revision, steps.size(), gone, steps);
    }

    private UndoPlan ofChanges(UndoRequest request, long revision) throws StorageException {
        TrailFilter filter = request.filter();
        Set<Digest> touched = new HashSet<>();
        long[] selected = {0};
        AuditTrail.read(folder, filter, (logged, _) -> {
            if (isChange(logged.update())) {
                selected[0]++;
                touched.add(logged.update().digest());
                if (selected[0] > MOST) {
                    throw new TooMuchException();
                }
            }
        });
        Map<Digest, Map<Integer, Track>> tracks = new LinkedHashMap<>();
        Map<Digest, Signature> signatures = new HashMap<>();
        if (!touched.isEmpty()) {
            AuditTrail.read(folder, TrailFilter.ALL, (logged, _) -> {
                if (touched.contains(logged.update().digest())) {
                    follow(logged, filter.matches(logged), tracks, signatures);
                }
            });
            signatures(touched, signatures);
        }
        List<UndoStep> steps = new ArrayList<>();
        long[] gone = {0};
        tracks.forEach((digest, flags) -> {
            List<FlagValue> stored = engine.find(digest);
            flags.forEach((flag, track) -> {
                if (!track.touched) {
                    return;
                }
                Optional<FlagValue> current = stored.stream().filter(value -> value.flag() == flag).findFirst();
                UndoStep step = new UndoStep(digest, flag, track.contributions(),
                        current.map(FlagValue::value).orElse(0L), current.isPresent(), signatures.get(digest));
                if (step.isNeeded()) {
                    steps.add(step);
                } else {
                    gone[0]++;
                }
            });
        });
        return new UndoPlan(revision, selected[0], gone[0], steps);
    }

    private static boolean isChange(Update update) {
        return update instanceof Update.Write || update instanceof Update.Delete
                || update instanceof Update.DeleteAll;
    }

    private static void follow(LoggedUpdate logged, boolean selected, Map<Digest, Map<Integer, Track>> tracks,
            Map<Digest, Signature> signatures) {
        Submission submission = logged.origin().submission();
        OptionalLong undoes = submission == null ? OptionalLong.empty() : Undo.undone(submission);
        Digest digest = logged.update().digest();
        Map<Integer, Track> flags = tracks.computeIfAbsent(digest, _ -> new LinkedHashMap<>());
        switch (logged.update()) {
            case Update.Write write -> {
                if (write.signature() != null) {
                    signatures.putIfAbsent(digest, write.signature());
                }
                // Only flags that the selection touches matter, but their sums need what others wrote before.
                flags.computeIfAbsent(write.flag(), _ -> new Track())
                        .write(logged.revision(), write.weight(), selected, undoes);
            }
            case Update.Delete delete -> flags.computeIfAbsent(delete.flag(), _ -> new Track())
                    .delete(logged.revision(), selected, undoes.isPresent());
            case Update.DeleteAll _ ->
                flags.values().forEach(track -> track.delete(logged.revision(), selected, undoes.isPresent()));
            case Update.Expire expire -> {
                Track track = flags.get(expire.flag());
                if (track != null) {
                    track.delete(logged.revision(), false, false);
                }
            }
            case Update.Refresh _ -> {
                // A renewal changes no value.
            }
        }
    }

    /** Adds the signatures that the database or store has. */
    private Map<Digest, Signature> signatures(Set<Digest> digests, Map<Digest, Signature> known)
            throws StorageException {
        Set<Digest> missing = new HashSet<>();
        for (Digest digest : digests) {
            if (!known.containsKey(digest) && engine.hashes().index().signature(digest) != null) {
                missing.add(digest);
            }
        }
        if (!missing.isEmpty()) {
            try (BackendView view = FolderStore.view(folder)) {
                view.signatures(missing, known::put);
            }
        }
        return known;
    }

    /** Ends the reading of a trail that selects too much. */
    static final class TooMuchException extends RuntimeException {
        private static final long serialVersionUID = 1;

        TooMuchException() {
            super("more than " + MOST + " changes are selected: narrow the selection, such as by time", null, false,
                    false);
        }
    }
}
