package dev.weir.testkit;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.util.Base64;

/** Certificates that have signed themselves, made with the tool of the JDK. */
public final class TlsCertificate {
    private static final String WORD = "secret";

    private TlsCertificate() {}

    /**
     * Writes {@code NAME.crt} and {@code NAME.key} in PEM.
     *
     * @param start when its five days begin, such as {@code -1d}
     * @param host the name of the server, such as {@code IP:127.0.0.1}
     */
    public static void write(Path folder, String name, String start, String host)
            throws IOException, InterruptedException, GeneralSecurityException {
        Path store = folder.resolve(name + ".p12");
        Process tool = new ProcessBuilder(Path.of(System.getProperty("java.home"), "bin", "keytool").toString(),
                "-genkeypair", "-alias", "a", "-keyalg", "EC", "-dname", "CN=" + name, "-startdate", start,
                "-validity", "5", "-storetype", "PKCS12", "-keystore", store.toString(), "-storepass", WORD,
                "-ext", "SAN=" + host).redirectErrorStream(true).start();
        String out = new String(tool.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        if (tool.waitFor() != 0) {
            throw new IOException(out);
        }
        KeyStore keys = KeyStore.getInstance(store.toFile(), WORD.toCharArray());
        pem(folder.resolve(name + ".crt"), "CERTIFICATE", keys.getCertificate("a").getEncoded());
        pem(folder.resolve(name + ".key"), "PRIVATE KEY", keys.getKey("a", WORD.toCharArray()).getEncoded());
    }

    private static void pem(Path file, String kind, byte[] bytes) throws IOException {
        Files.writeString(file, "-----BEGIN " + kind + "-----\n"
                + Base64.getMimeEncoder(64, new byte[]{'\n'}).encodeToString(bytes) + "\n-----END " + kind + "-----\n");
    }
}
