package dev.weir.os;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Map;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** Tests of files with certificates. Connections with them are in the tests of lists, of Redis and of traps. */
class CertificatesTest {
    @TempDir
    Path folder = Path.of("");

    @Test
    void theEnvironmentNamesTheFileAsForOpenssl() {
        assertThat(Certificates.system(Map.of("SSL_CERT_FILE", "/site/authorities.pem")))
                .contains(Path.of("/site/authorities.pem"));
    }

    @Test
    void aFileWithoutCertificatesIsNamed() throws Exception {
        Path empty = Files.createFile(folder.resolve("empty"));
        Path text = Files.writeString(folder.resolve("text"), "-----BEGIN CERTIFICATE-----\nabc\n");
        Path missing = folder.resolve("missing");
        for (Path file : new Path[]{empty, text, missing}) {
            assertThatThrownBy(() -> Certificates.trustedBySystem(Map.of("SSL_CERT_FILE", file.toString())))
                    .isInstanceOf(IOException.class).hasMessageContaining(file.toString());
        }
    }

    @Test
    void aFileThatIsTooLargeIsRefused() throws Exception {
        Path large = folder.resolve("large");
        try (var channel = Files.newByteChannel(large, StandardOpenOption.CREATE_NEW,
                StandardOpenOption.WRITE)) {
            channel.position(9 << 20).write(ByteBuffer.wrap(new byte[1]));
        }
        assertThatThrownBy(() -> Certificates.authorities(large)).hasMessageContaining("too large");
    }
}
