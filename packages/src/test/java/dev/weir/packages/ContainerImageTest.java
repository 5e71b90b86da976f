package dev.weir.packages;

import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

import dev.weir.packages.Commands.Result;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The image for containers: its archive as the specification of OCI describes it, and its layers run as a container
 * engine runs them: as its user, with its environment, in a network of its own.
 */
class ContainerImageTest {
    @TempDir
    private Path folder;

    /** Returns a blob of the archive, whose name is its digest. */
    private Path blob(JsonNode descriptor) throws Exception {
        String[] digest = descriptor.get("digest").asString().split(":", -1);
        assertThat(digest[0]).isEqualTo("sha256");
        Path file = folder.resolve("archive/blobs/sha256/" + digest[1]);
        byte[] content = Files.readAllBytes(file);
        assertThat(HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(content)))
                .isEqualTo(digest[1]);
        assertThat((long) content.length).isEqualTo(descriptor.get("size").asLong());
        return file;
    }

    private static JsonNode json(Path file) throws Exception {
        return JsonMapper.shared().readTree(Files.readString(file));
    }

    @Test
    void theLayersRun() throws Exception {
        Path archive = Files.createDirectory(folder.resolve("archive"));
        Path root = Files.createDirectory(folder.resolve("root"));
        Commands.run("chmod", "755", root.toString()).succeeded();
        Commands.run("tar", "-xf", Commands.built("weir-", "-oci-" + architecture() + ".tar").toString(), "-C",
                archive.toString()).succeeded();
        assertThat(json(archive.resolve("oci-layout")).get("imageLayoutVersion").asString()).isEqualTo("1.0.0");
        JsonNode manifest = json(blob(json(archive.resolve("index.json")).get("manifests").get(0)));
        JsonNode image = json(blob(manifest.get("config")));
        assertThat(image.get("os").asString()).isEqualTo("linux");
        assertThat(image.get("architecture").asString()).isEqualTo(architecture());
        assertThat(manifest.get("layers").size()).isEqualTo(4);
        for (JsonNode layer : manifest.get("layers")) {
            Commands.run("tar", "--same-owner", "--numeric-owner", "-xzpf", blob(layer).toString(), "-C",
                    root.toString()).succeeded();
        }
        licensesAreInside(root);

        JsonNode settings = image.get("config");
        assertThat(settings.get("ExposedPorts").propertyNames()).containsExactlyInAnyOrder("11335/udp", "11335/tcp",
                "11336/tcp");
        Map<String, String> environment = new LinkedHashMap<>();
        settings.get("Env").forEach(variable -> {
            String[] pair = variable.asString().split("=", 2);
            environment.put(pair[0], pair[1]);
        });
        List<String> program = settings.get("Entrypoint").valueStream().map(JsonNode::asString).toList();
        String[] command = Stream.concat(program.stream(),
                settings.get("Cmd").valueStream().map(JsonNode::asString)).toArray(String[]::new);
        try (Chroot container = Chroot.of(root, settings.get("User").asString(), environment)) {
            Files.writeString(container.path("/tmp/mail.eml"), InstallationTest.MAIL);
            try (Service _ = start(container, command)) {
                assertThat(weir(container, program, "ping").succeeded()).contains("answered in");
                assertThat(weir(container, program, "learn", "-f", "7", "-w", "10", "/tmp/mail.eml").succeeded())
                        .contains("flag 7");
                assertThat(container.namespace().run("curl", "--silent", "--fail",
                        "http://127.0.0.1:11336/metrics").succeeded()).contains("weir_healthy 1");
            }
            // The hashes are in the volume, and the archive of classes fits.
            try (Service _ = start(container, command)) {
                assertThat(weir(container, program, "check", "/tmp/mail.eml").succeeded()).contains("flag 7");
            }
        }
    }

    private static Service start(Chroot container, String... command) throws Exception {
        return Service.await(container.start("/tmp/serve.out", command), container.path("/tmp/serve.out"));
    }

    private static Result weir(Chroot container, List<String> program, String... arguments) throws Exception {
        return container.run(Stream.concat(program.stream(), Stream.of(arguments)).toArray(String[]::new));
    }

    /** Every file outside of Weir comes from a package of Debian, whose license is beside it. */
    private static void licensesAreInside(Path root) throws Exception {
        Path texts = root.resolve("usr/share/doc");
        assertThat(texts.resolve("weir/NOTICE")).exists();
        assertThat(texts.resolve("weir/licenses/sbom.cyclonedx.json")).exists();
        assertThat(texts.resolve("libc6/copyright")).exists();
        try (Stream<Path> packages = Files.list(texts)) {
            assertThat(packages.filter(folder -> !folder.endsWith("weir")).toList())
                    .hasSizeBetween(2, 10)
                    .allSatisfy(folder -> assertThat(folder.resolve("copyright")).isNotEmptyFile());
        }
    }

    private static String architecture() throws Exception {
        return Commands.run("dpkg", "--print-architecture").succeeded().strip();
    }
}
