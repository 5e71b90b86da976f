package dev.weir.packages;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * The unpacked tarball, in a folder that the build did not know.
 *
 * @param home the folder with the program
 */
record Tarball(Path home) {
    static Tarball unpack(Path folder) throws IOException, InterruptedException {
        Commands.run("tar", "-xzf", Commands.built("weir-", ".tar.gz").toString(), "-C", folder.toString()).succeeded();
        try (Stream<Path> folders = Files.list(folder)) {
            return new Tarball(folders.filter(path -> path.getFileName().toString().startsWith("weir-")).findFirst()
                    .orElseThrow());
        }
    }

    /**
     * Returns a command of Weir. It finds no Java but its own.
     *
     * @param options options for the JVM
     */
    List<String> command(String options, String... arguments) {
        List<String> command = new ArrayList<>(List.of("env", "-i", "PATH=/usr/bin:/bin", "WEIR_JAVA_OPTS=" + options,
                home.resolve("bin/weir").toString()));
        command.addAll(List.of(arguments));
        return command;
    }

    Commands.Result weir(String options, String... arguments) throws IOException, InterruptedException {
        return Commands.run(command(options, arguments), Map.of());
    }

    /** Starts a storage with HTTP on free ports, and waits until both answer. */
    Service serve(Path data, String... options) throws IOException, InterruptedException {
        List<String> command = command("", "serve", "--data", data.toString(), "--bind", "127.0.0.1:0", "--http",
                "127.0.0.1:0", "--allow-update", "127.0.0.0/8");
        command.addAll(List.of(options));
        Path output = Files.createTempFile(data.toAbsolutePath().getParent(), "serve", ".out");
        return Service.await(new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(output.toFile())
                .start(), output);
    }
}
