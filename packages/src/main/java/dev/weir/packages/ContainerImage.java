package dev.weir.packages;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.function.Predicate;
import java.util.stream.Stream;

import com.google.cloud.tools.jib.api.CacheDirectoryCreationException;
import com.google.cloud.tools.jib.api.Containerizer;
import com.google.cloud.tools.jib.api.InvalidImageReferenceException;
import com.google.cloud.tools.jib.api.Jib;
import com.google.cloud.tools.jib.api.RegistryException;
import com.google.cloud.tools.jib.api.TarImage;
import com.google.cloud.tools.jib.api.buildplan.AbsoluteUnixPath;
import com.google.cloud.tools.jib.api.buildplan.FileEntriesLayer;
import com.google.cloud.tools.jib.api.buildplan.FilePermissions;
import com.google.cloud.tools.jib.api.buildplan.ImageFormat;
import com.google.cloud.tools.jib.api.buildplan.Platform;
import com.google.cloud.tools.jib.api.buildplan.Port;

/**
 * Writes the image for containers as an archive in the layout of OCI, from a folder that {@code packages/image-root}
 * made. It has no base image. What changes rarely is in the lower layers, so that an update transfers little.
 */
final class ContainerImage {
    /** The user of the service, without a name in the host. The same numbers are in {@code packages/image-root}. */
    private static final String USER = "65532:65532";

    /** Folders to which the service writes. */
    private static final Set<String> OWN = Set.of("/var/lib/weir", "/var/cache/weir", "/run/weir");

    private final Path root;
    private final Instant time;

    private ContainerImage(Path root, Instant time) {
        this.root = root;
        this.time = time;
    }

    /**
     * @param args the folder, the archive to write, the version, the architecture in Go's words, the time of all files
     *        in seconds since 1970, and a folder for Jib's cache
     */
    static void main(String... args) throws IOException, InterruptedException, InvalidImageReferenceException,
            RegistryException, CacheDirectoryCreationException, ExecutionException {
        Instant time = Instant.ofEpochSecond(Long.parseLong(args[4]));
        ContainerImage image = new ContainerImage(Path.of(args[0]), time);
        Path cache = Path.of(args[5]);
        Predicate<String> runtime = path -> path.startsWith("/usr/lib/weir/runtime");
        Predicate<String> libraries = path -> path.startsWith("/usr/lib/weir/lib/") && path.endsWith(".jar")
                && !path.startsWith("/usr/lib/weir/lib/weir-");
        Predicate<String> program = path -> path.startsWith("/usr/lib/weir") || path.startsWith("/etc/weir")
                || path.startsWith("/usr/share/doc/weir");
        Jib.fromScratch()
                .setFormat(ImageFormat.OCI)
                .setPlatforms(Set.of(new Platform(args[3], "linux")))
                .setCreationTime(time)
                .addFileEntriesLayer(image.layer("system", Predicate.not(program)))
                .addFileEntriesLayer(image.layer("java", runtime))
                .addFileEntriesLayer(image.layer("libraries", libraries))
                .addFileEntriesLayer(image.layer("weir", program.and(Predicate.not(runtime.or(libraries)))))
                .setUser(USER)
                .setEnvironment(Map.of("PATH", "/usr/lib/weir/bin:/usr/bin:/bin", "LC_ALL", "C.UTF-8", "HOME",
                        "/var/lib/weir"))
                .setWorkingDirectory(AbsoluteUnixPath.get("/var/lib/weir"))
                .setVolumes(Set.of(AbsoluteUnixPath.get("/var/lib/weir")))
                .setExposedPorts(Set.of(Port.udp(11335), Port.tcp(11335), Port.tcp(11336)))
                .setLabels(Map.of("org.opencontainers.image.title", "weir",
                        "org.opencontainers.image.version", args[2],
                        "org.opencontainers.image.licenses", "Apache-2.0"))
                .setEntrypoint(List.of("/usr/lib/weir/bin/weir"))
                .setProgramArguments(List.of("serve", "-c", "/etc/weir/weir.conf"))
                .containerize(Containerizer.to(TarImage.at(Path.of(args[1])).named("weir:" + args[2]))
                        .setOfflineMode(true).setBaseImageLayersCache(cache).setApplicationLayersCache(cache));
    }

    /** Returns the files and folders with fitting paths, in a fixed order. */
    private FileEntriesLayer layer(String name, Predicate<String> fitting) throws IOException {
        FileEntriesLayer.Builder layer = FileEntriesLayer.builder().setName(name);
        try (Stream<Path> files = Files.walk(root)) {
            for (Path file : files.filter(path -> !path.equals(root)).sorted().toList()) {
                String path = "/" + root.relativize(file);
                if (fitting.test(path)) {
                    layer.addEntry(file, AbsoluteUnixPath.get(path), permissions(file), time,
                            OWN.contains(path) ? USER : "0:0");
                }
            }
        }
        return layer.build();
    }

    private static FilePermissions permissions(Path file) throws IOException {
        int mode = (int) Files.getAttribute(file, "unix:mode", LinkOption.NOFOLLOW_LINKS) & 0777;
        return FilePermissions.fromOctalString(String.format("%03o", mode));
    }
}
