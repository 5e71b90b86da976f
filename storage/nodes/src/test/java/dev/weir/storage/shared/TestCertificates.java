package dev.weir.storage.shared;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

import dev.weir.testkit.Installed;

/** An authority with certificates for a server on 127.0.0.1 and a client, made by OpenSSL. */
record TestCertificates(Path folder) {

    static TestCertificates make(Path folder) throws IOException, InterruptedException {
        Installed.require("openssl", "openssl");
        TestCertificates made = new TestCertificates(folder);
        run(folder, "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=authority", "-keyout",
                "ca.key", "-out", "ca.crt");
        Files.writeString(folder.resolve("names"), "subjectAltName=IP:127.0.0.1,DNS:localhost\n");
        for (String name : List.of("server", "client")) {
            run(folder, "req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-subj",
                    "/CN=" + name, "-keyout", name + ".key", "-out", name + ".csr");
            run(folder, "x509", "-req", "-in", name + ".csr", "-CA", "ca.crt", "-CAkey", "ca.key", "-CAcreateserial",
                    "-days", "2", "-extfile", "names", "-out", name + ".crt");
        }
        return made;
    }

    private static void run(Path folder, String... arguments) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(List.of("openssl"));
        command.addAll(List.of(arguments));
        Process process = new ProcessBuilder(command).directory(folder.toFile()).redirectErrorStream(true).start();
        String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        if (process.waitFor() != 0) {
            throw new IOException("openssl failed:\n" + said);
        }
    }

    String file(String name) {
        return folder.resolve(name).toString();
    }
}
