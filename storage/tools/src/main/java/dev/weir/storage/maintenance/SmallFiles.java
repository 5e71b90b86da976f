package dev.weir.storage.maintenance;

import java.io.IOException;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;

import dev.weir.model.failure.Reason;
import dev.weir.storage.DataFolder;
import dev.weir.storage.state.StateFiles;

/** The state files of a data folder, for a check that changes nothing. */
final class SmallFiles {
    /** The name of each file, and how it began in versions that had no state files. */
    private static final Map<String, Pattern> KNOWN = known();

    private SmallFiles() {}

    private static Map<String, Pattern> known() {
        Pattern never = Pattern.compile("(?!)");
        Map<String, Pattern> known = new LinkedHashMap<>();
        known.put(DataFolder.CLOCK, Pattern.compile("weir clock 1\n[0-9]{1,15}\n$"));
        known.put(DataFolder.LOG_END, never);
        known.put(DataFolder.SHARED, Pattern.compile("weir shared 1\n"));
        known.put(DataFolder.NODE, Pattern.compile("weir node 1 "));
        known.put(DataFolder.FOLLOWERS, never);
        known.put(DataFolder.PUSHES, Pattern.compile("weir pushes 1\n"));
        known.put(DataFolder.PUSHED_BATCH, Pattern.compile("weir pushed batch 1\n"));
        known.put(DataFolder.IMPORTS, Pattern.compile("((add|max|keep) [0-9a-f]{16} -?[0-9]+ [0-9]+\n|$)"));
        known.put(DataFolder.MIRRORED, Pattern.compile("weir mirrored 1\n"));
        known.put(DataFolder.SKIPS, Pattern.compile("weir skips 1\n"));
        known.put(DataFolder.RATE_LIMITS, Pattern.compile("weir limits 1\n"));
        known.put(DataFolder.HITS, Pattern.compile("\\x1f\\x8b"));
        known.put(DataFolder.SAMPLES, Pattern.compile("[0-9a-f]{128}\t"));
        known.put(DataFolder.WAVES, never);
        return known;
    }

    /** Returns a sentence for each file that the next start of a storage will not use. */
    static List<String> damages(Path folder, long storageId) {
        StateFiles files = new StateFiles(folder, InstantSource.system());
        List<String> damages = new ArrayList<>();
        KNOWN.forEach((name, earlier) -> {
            try {
                files.damage(name, earlier, storageId).ifPresent(why -> damages.add(folder.resolve(name)
                        + " is damaged: " + why + ". The next start keeps it aside and goes on without it"));
            } catch (IOException e) {
                damages.add(folder.resolve(name) + " cannot be read: " + Reason.of(e));
            }
        });
        return damages;
    }
}
