# ruff: noqa: SIM905 - lists of words are read as words, not as quotes and commas
"""Words that people, companies and songs are named with."""

FIRST_NAMES = (
    "Adriana Alice Aline Amanda Ana Antônia Beatriz Bianca Bruna Camila Carolina Cecília Clara Cláudia Débora Eduarda "
    "Elaine Fabiana Fernanda Gabriela Helena Iara Isabela Jaqueline Joana Juliana Larissa Letícia Lívia Luana Luísa "
    "Manuela Márcia Mariana Marina Natália Patrícia Rafaela Raquel Renata Rosana Sabrina Simone Tatiana Thaís Valéria "
    "Afonso Alexandre André Antônio Augusto Benedito Bruno Caetano Caio César Cristiano Daniel Davi Diego Eduardo "
    "Elias Emanuel Fábio Felipe Fernando Francisco Gabriel Gilberto Guilherme Gustavo Heitor Henrique Hugo Igor Ivan "
    "Jonas Jorge José Leandro Leonardo Lucas Luiz Marcelo Márcio Mateus Miguel Murilo Nelson Otávio Paulo Pedro "
    "Rafael Raul Renato Ricardo Rodrigo Samuel Sérgio Thiago Tomás Vicente Vinícius Vítor Wagner William"
).split()
LAST_NAMES = (
    "Abreu Aguiar Albuquerque Almeida Alves Amaral Andrade Araújo Assis Azevedo Barbosa Barros Bastos Batista Bezerra "
    "Borges Braga Brandão Brito Cabral Caldas Camargo Campos Cardoso Carneiro Carvalho Castro Cavalcanti Chaves Coelho "
    "Cordeiro Correia Costa Coutinho Cunha Dantas Dias Duarte Esteves Farias Fernandes Ferraz Ferreira Figueiredo "
    "Fonseca Franco Freire Freitas Furtado Galvão Garcia Gomes Gonçalves Guedes Guimarães Lacerda Leal Leite Lima "
    "Lopes Macedo Machado Magalhães Maia Marques Martins Matos Medeiros Meireles Melo Mendes Miranda Monteiro Moraes "
    "Moreira Moura Nascimento Neves Nogueira Nunes Oliveira Pacheco Paiva Peixoto Pereira Pimentel Pinheiro Pinto "
    "Pires Prado Queiroz Ramos Rangel Rezende Ribeiro Rocha Rodrigues Sales Sampaio Santana Santos Saraiva Silva "
    "Silveira Siqueira Soares Souza Tavares Teixeira Toledo Torres Valente Vargas Vasconcelos Vaz Viana Vieira Xavier"
).split()
