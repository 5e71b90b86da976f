package dev.weir.bench.hashing;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Runs a program that lets the real Rspamd scan a folder and records the hashes that it asks for. */
public final class Oracle {
    private static final Pattern SUMMARY = Pattern.compile("(\\d+) files, \\d+ commands, \\d+ errors, ([0-9.]+) s");

    private Oracle() {}

    /**
     * Runs it and waits for its end.
     *
     * @return seconds that the scanning took, as the program says, without the start of Rspamd
     * @throws IOException if it fails or does not say how long it took
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
            throw new IOException(program + " ended with status " + status + ": " + output.strip());
        }
        return Double.parseDouble(summary.group(2));
    }
}
