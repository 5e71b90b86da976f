package dev.weir.bench.hashing;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** An external program that scans a folder with the real Rspamd and records its hashes. */
public final class Oracle {
    private static final Pattern SUMMARY = Pattern.compile("(\\d+) files, \\d+ commands, \\d+ errors, ([0-9.]+) s");

    private Oracle() {}

    /**
     * Runs the program and waits until it exits.
     *
     * @return seconds of scanning as the program reports them, without the start of Rspamd
     * @throws IOException if it fails or does not report the time
     */
    public static double run(Path program, Path folder, Path recording, String algorithm, List<String> options)
            throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(List.of(program.toAbsolutePath().toString(),
                folder.toAbsolutePath().toString(), recording.toAbsolutePath().toString(), algorithm));
        command.addAll(options);
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        process.getOutputStream().close();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        int status = process.waitFor();
        Matcher summary = SUMMARY.matcher(output);
        if (status != 0 || !summary.find()) {
            throw new IOException(program + " exited with status " + status + ": " + output.strip());
        }
        return Double.parseDouble(summary.group(2));
    }
}
