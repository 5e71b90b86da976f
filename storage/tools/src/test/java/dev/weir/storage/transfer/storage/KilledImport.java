package dev.weir.storage.transfer.storage;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;

import dev.weir.storage.transfer.Expiry;
import dev.weir.storage.transfer.Merge;
import dev.weir.storage.transfer.Moves;
import dev.weir.storage.transfer.dump.DumpSource;

/** A process that imports a dump in small batches until it is killed (SIGKILL). */
public final class KilledImport implements AutoCloseable {
    static final int BATCH = 20;

    private final Process process;

    private KilledImport(Process process) {
        this.process = process;
    }

    /**
     * Imports a dump. Prints "begun" before the first batch.
     *
     * @param args the dump; the folder; the rule of merging
     */
    public static void main(String[] args) throws Exception {
        StorageTarget target = StorageTarget.open(Path.of(args[1]), StoreFolder.CLOCK);
        System.out.println("begun");
        Moves.run(DumpSource.open(Path.of(args[0])), target, Merge.valueOf(args[2]), Expiry.NONE, false, BATCH);
    }

    /** Starts one, which has loaded its store when this returns. */
    static KilledImport start(Path dump, Path folder, Merge merge) throws IOException {
        Process process = new ProcessBuilder(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-cp",
                System.getProperty("java.class.path"), "--enable-native-access=ALL-UNNAMED", "-Xmx256m",
                "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", KilledImport.class.getName(), dump.toString(),
                folder.toString(), merge.name())).redirectErrorStream(true).start();
        StringBuilder said = new StringBuilder();
        BufferedReader out = process.inputReader(StandardCharsets.UTF_8);
        for (String line = out.readLine(); line != null; line = out.readLine()) {
            if (line.equals("begun")) {
                return new KilledImport(process);
            }
            said.append(line).append('\n');
        }
        throw new IOException("the import did not begin:\n" + said);
    }

    boolean isAlive() {
        return process.isAlive();
    }

    /** Kills it and waits for its end. */
    @Override
    public void close() {
        process.destroyForcibly();
        process.onExit().join();
    }
}
