package dev.weir.bench.profile;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

import dev.weir.bench.peer.Workspace;

/** A recording of where the Java threads of a process spend processor time, made by the JVM itself. */
public final class Recording {
    private static final String NAME = "name=weir-bench";

    private final Workspace workspace;
    private final long pid;

    private Recording(Workspace workspace, long pid) {
        this.workspace = workspace;
        this.pid = pid;
    }

    /** Begins to record a JVM. */
    public static Recording begin(Workspace workspace, long pid) throws IOException, InterruptedException {
        Recording recording = new Recording(workspace, pid);
        recording.jcmd("JFR.start", NAME, "settings=none", "+jdk.CPUTimeSample#enabled=true",
                "+jdk.CPUTimeSample#throttle=10ms");
        return recording;
    }

    /** Ends the recording and returns its profile. */
    public Profile end() throws IOException, InterruptedException {
        Path file = workspace.newFolder("recording").resolve("scan.jfr");
        jcmd("JFR.stop", NAME, "filename=" + file);
        return Profile.read(file);
    }

    private void jcmd(String... arguments) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "jcmd").toString(), Long.toString(pid)));
        command.addAll(List.of(arguments));
        Path log = workspace.folder().resolve("jcmd.log");
        Process jcmd = workspace.start(new ProcessBuilder(command).redirectErrorStream(true)
                .redirectOutput(log.toFile()));
        if (jcmd.waitFor() != 0) {
            throw new IOException(String.join(" ", command) + " failed:\n" + Files.readString(log));
        }
    }
}
