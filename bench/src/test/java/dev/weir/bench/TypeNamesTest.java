package dev.weir.bench;

import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/** One name means one thing. This module is built last, so the test sees all others. */
class TypeNamesTest {
    /** Names that occur more than once, with the reason. */
    private static final Map<String, String> REPEATED = Map.of(
            "Main", "the entry point of a program: weir, and the measuring programs");

    private static final JavaClasses WEIR = new ClassFileImporter()
            .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
            .importPackages("dev.weir");

    /** Where each simple name of a type that stands alone occurs. */
    private static Map<String, Set<String>> topLevel() {
        return WEIR.stream().filter(JavaClass::isTopLevelClass)
                .filter(type -> !type.getSimpleName().equals("package-info"))
                .collect(Collectors.groupingBy(JavaClass::getSimpleName,
                        TreeMap::new, Collectors.mapping(JavaClass::getName, Collectors.toCollection(TreeSet::new))));
    }

    @Test
    void noSimpleNameOccursTwiceWithoutAReason() {
        Map<String, Set<String>> repeated = topLevel();
        repeated.values().removeIf(names -> names.size() == 1);
        assertThat(repeated.keySet()).as("%s", repeated).isEqualTo(REPEATED.keySet());
    }

    /** A nested type carries the name of the type around it, but may not look like a word of the shared vocabulary. */
    @Test
    void nestedTypesLeaveTheVocabularyAlone() {
        Set<String> vocabulary = WEIR.stream().filter(type -> type.getPackageName().equals("dev.weir.model"))
                .filter(JavaClass::isTopLevelClass).map(JavaClass::getSimpleName).collect(Collectors.toSet());
        assertThat(vocabulary).contains("Digest", "Signature", "Network");
        assertThat(WEIR.stream().filter(type -> !type.isTopLevelClass())
                .filter(type -> vocabulary.contains(type.getSimpleName())).map(JavaClass::getName)).isEmpty();
    }
}
