package dev.weir.cli;

import picocli.CommandLine.IVersionProvider;

/** What {@code weir --version} prints: the version that the build wrote into the jar. */
final class Version implements IVersionProvider {
    @Override
    public String[] getVersion() {
        return new String[]{
            "weir " + number(),
            "Java " + Runtime.version() + " on " + System.getProperty("os.name") + " "
                    + System.getProperty("os.arch")};
    }

    /** The version alone. */
    static String number() {
        final String version = Version.class.getPackage().getImplementationVersion();
        return version == null ? "(unpackaged)" : version;
    }
}
