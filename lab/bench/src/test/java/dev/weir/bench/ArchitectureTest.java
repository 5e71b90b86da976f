package dev.weir.bench;

import java.nio.file.Files;
import java.nio.file.Path;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.assertj.core.api.Assertions.assertThat;

/** What {@code cli}'s test of the arrows cannot see, since this module is built after it. */
class ArchitectureTest {
    private static final JavaClasses WEIR = new ClassFileImporter()
            .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
            .importPackages("dev.weir");

    @Test
    void nobodyNeedsTheMeasuringPrograms() {
        assertThat(WEIR.stream().filter(c -> c.getPackageName().startsWith("dev.weir.cli"))).isNotEmpty();
        noClasses().that().resideOutsideOfPackage("dev.weir.bench..")
                .should().dependOnClassesThat().resideInAPackage("dev.weir.bench..")
                .check(WEIR);
    }

    /** The server is measured as a user runs it, so nothing here may call into it. */
    @Test
    void onlyTheProtocolIsShared() {
        noClasses().that().resideInAPackage("dev.weir.bench..")
                // Microbenchmarks call what they measure. Days of waves pass in minutes, so their table gets a clock.
                .and().resideOutsideOfPackages("dev.weir.bench.jmh..", "dev.weir.bench.index..",
                        "dev.weir.bench.waves..")
                .should().dependOnClassesThat()
                .resideInAnyPackage("dev.weir.storage..", "dev.weir.scan..", "dev.weir.cli..")
                .check(WEIR);
    }

    /**
     * Hashing is a library and measured as one, by one package; the recall of the index, of campaigns and of waves is
     * about real mails, and JMH about primitives.
     */
    @Test
    void fewPackagesHash() {
        noClasses().that().resideInAPackage("dev.weir.bench..").and()
                .resideOutsideOfPackages("dev.weir.bench.hashing..", "dev.weir.bench.campaigns",
                        "dev.weir.bench.index", "dev.weir.bench.jmh", "dev.weir.bench.waves")
                .should().dependOnClassesThat().resideInAPackage("dev.weir.hash..")
                .check(WEIR);
    }

    /** It fails where the root folder is no mount point, as in a chroot; {@code DiskSpace} does not. */
    @Test
    void nothingDependsOnMountPoints() {
        noClasses().that().resideOutsideOfPackage("dev.weir.bench..")
                .and().doNotHaveSimpleName("DiskSpace")
                // It writes through the page cache then.
                .and().doNotHaveSimpleName("DirectWriter")
                // It takes the disk then.
                .and().doNotHaveSimpleName("TestFolders")
                .should().callMethod(Files.class, "getFileStore", Path.class)
                .check(WEIR);
    }

    @Test
    void packagesFormNoCyclesAndRefuseNull() {
        slices().matching("dev.weir.(**)").should().beFreeOfCycles().check(WEIR);
        classes().that().haveSimpleName("package-info").should().beAnnotatedWith(NullMarked.class).check(WEIR);
    }
}
