package dev.weir.bench.report;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileStore;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** Describes the machine and the software that produced the figures. */
public final class Environment {
    private Environment() {}

    public static String describe(Path folder, List<String> weir) throws IOException, InterruptedException {
        FileStore store = Files.getFileStore(folder);
        String disk = store.type() + " on " + store.name();
        String warning = switch (store.type()) {
            case "tmpfs", "ramfs" -> " (that is memory and not a disk: no figure about durability means anything here)";
            default -> "";
        };
        return """
                - processors: %d × %s
                - disk: %s%s
                - kernel: %s %s
                - Java: %s
                - Weir: %s
                - Rspamd: %s
                - Redis: %s
                - network: loopback; the generator runs on the same processors
                """.formatted(Runtime.getRuntime().availableProcessors(), processor(), disk, warning,
                System.getProperty("os.name"), System.getProperty("os.version"), System.getProperty("java.vm.version"),
                weir(weir), version("rspamd"), version("redis-server"));
    }

    private static String processor() throws IOException {
        Path info = Path.of("/proc/cpuinfo");
        if (Files.notExists(info)) {
            return String.valueOf(System.getProperty("os.arch"));
        }
        return Files.readAllLines(info).stream()
                .filter(line -> line.toLowerCase(Locale.ROOT).startsWith("model name"))
                .map(line -> line.substring(line.indexOf(':') + 1).strip())
                .findFirst()
                .orElse(String.valueOf(System.getProperty("os.arch")));
    }

    /** Returns whether a program is installed. */
    public static boolean installed(String program) {
        for (String folder : System.getenv().getOrDefault("PATH", "").split(":", -1)) {
            if (Files.isExecutable(Path.of(folder.isEmpty() ? "." : folder, program))) {
                return true;
            }
        }
        return false;
    }

    /** Returns the version and, in a checkout, the commit. */
    private static String weir(List<String> weir) throws IOException, InterruptedException {
        Path folder = Path.of(weir.getFirst()).toAbsolutePath().getParent();
        String version = said(weir, "--version");
        return folder != null && installed("git") && Files.exists(folder.resolve(".git"))
                ? version + ", commit "
                        + said(List.of("git", "-C", folder.toString()), "describe", "--always", "--dirty")
                : version;
    }

    private static String version(String program) throws IOException, InterruptedException {
        return installed(program) ? said(List.of(program), "--version") : "not installed";
    }

    private static String said(List<String> program, String... arguments) throws IOException, InterruptedException {
        List<String> words = new ArrayList<>(program);
        words.addAll(List.of(arguments));
        Process process = new ProcessBuilder(words).redirectErrorStream(true).start();
        String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
        process.waitFor();
        return said.lines().findFirst().orElse("says nothing");
    }
}
