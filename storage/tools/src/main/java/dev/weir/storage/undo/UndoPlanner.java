package dev.weir.storage.undo;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;

import dev.weir.model.Digest;
import dev.weir.model.FlagValue;
import dev.weir.model.Signature;
import dev.weir.model.Update;
import dev.weir.storage.StorageException;
import dev.weir.storage.UpdateSubmitter;
import dev.weir.storage.engine.StorageEngine;
import dev.weir.storage.index.Lookup;
import dev.weir.storage.log.LoggedUpdate;
import dev.weir.storage.trail.AuditTrail;
import dev.weir.storage.trail.TrailFilter;
import org.jspecify.annotations.Nullable;

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

    /**
     * Computes a plan.
     *
     * @param signed whether the steps get the signatures of their hashes, which only the execution needs
     */
    UndoPlan plan(UndoRequest request, boolean signed) throws StorageException {
        long revision = engine.stats().revision();
        UndoRequest now = request.upTo(revision);
        return now.digests().isEmpty() ? ofChanges(now, revision, signed) : ofHashes(now, revision, signed);
    }

    private UndoPlan ofHashes(UndoRequest request, long revision, boolean signed) throws StorageException {
        List<UndoStep> steps = new ArrayList<>();
        long gone = 0;
        Set<Digest> digests = new HashSet<>(request.digests());
        Map<Digest, Signature> signatures = signed ? engine.signatures(digests) : Map.of();
        Lookup lookup = new Lookup();
        for (Digest digest : digests) {
            List<FlagValue> flags = engine.find(digest, lookup).stream()
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

    private UndoPlan ofChanges(UndoRequest request, long revision, boolean signed) throws StorageException {
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
        Map<Digest, FlagTrack> tracks = LinkedHashMap.newLinkedHashMap(touched.size());
        Map<Digest, Signature> signatures = new HashMap<>();
        AuditTrail.read(folder, touched, (logged, _) -> {
            follow(logged, filter.matches(logged), tracks);
            if (signed && logged.update() instanceof Update.Write write && write.signature() != null) {
                signatures.putIfAbsent(write.digest(), write.signature());
            }
        });
        if (signed) {
            touched.removeAll(signatures.keySet());
            signatures.putAll(engine.signatures(touched));
        }
        List<UndoStep> steps = new ArrayList<>();
        long[] gone = {0};
        Lookup lookup = new Lookup();
        tracks.forEach((digest, first) -> {
            List<FlagValue> stored = engine.find(digest, lookup);
            for (FlagTrack track = first; track != null; track = track.next()) {
                if (track.isTouched()) {
                    UndoStep step = step(digest, track, stored, signatures.get(digest));
                    if (step.isNeeded()) {
                        steps.add(step);
                    } else {
                        gone[0]++;
                    }
                }
            }
        });
        return new UndoPlan(revision, selected[0], gone[0], steps);
    }

    private static boolean isChange(Update update) {
        return update instanceof Update.Write || update instanceof Update.Delete
                || update instanceof Update.DeleteAll;
    }

    private static UndoStep step(Digest digest, FlagTrack track, List<FlagValue> stored,
            @Nullable Signature signature) {
        for (FlagValue value : stored) {
            if (value.flag() == track.flag()) {
                return new UndoStep(digest, track.flag(), track.contributions(), value.value(), true, signature);
            }
        }
        return new UndoStep(digest, track.flag(), track.contributions(), 0, false, signature);
    }

    private static void follow(LoggedUpdate logged, boolean selected, Map<Digest, FlagTrack> tracks) {
        UpdateSubmitter submission = logged.origin().submission();
        OptionalLong undoes = submission == null ? OptionalLong.empty() : Undo.undone(submission);
        switch (logged.update()) {
            // Only flags that the selection touches matter, but their sums need what others wrote before.
            case Update.Write write -> track(write.digest(), write.flag(), tracks)
                    .write(logged.revision(), write.weight(), selected, undoes);
            case Update.Delete delete -> track(delete.digest(), delete.flag(), tracks)
                    .delete(logged.revision(), selected, undoes.isPresent());
            case Update.DeleteAll all -> {
                for (FlagTrack track = tracks.get(all.digest()); track != null; track = track.next()) {
                    track.delete(logged.revision(), selected, undoes.isPresent());
                }
            }
            case Update.Expire expire -> {
                FlagTrack track = find(tracks.get(expire.digest()), expire.flag());
                if (track != null) {
                    track.delete(logged.revision(), false, false);
                }
            }
            case Update.Refresh _ -> {
                // A renewal changes no value.
            }
        }
    }

    /** The flags stay in the order of the trail: of equal values, the flag that came first answers. */
    private static FlagTrack track(Digest digest, int flag, Map<Digest, FlagTrack> tracks) {
        return tracks.computeIfAbsent(digest, _ -> new FlagTrack(flag)).of(flag);
    }

    private static @Nullable FlagTrack find(@Nullable FlagTrack first, int flag) {
        FlagTrack track = first;
        while (track != null && track.flag() != flag) {
            track = track.next();
        }
        return track;
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
